/// Decodes one label of Punycode (RFC 3492), without its `xn--`.
enum Punycode {
    private static let base = 36
    private static let tMin = 1
    private static let tMax = 26
    private static let skew = 38
    private static let damp = 700
    private static let initialBias = 72
    private static let initialN = 128

    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var k = 0
        while delta > ((base - tMin) * tMax) / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + skew)
    }

    private static func threshold(_ k: Int, _ bias: Int) -> Int {
        min(max(k - bias, tMin), tMax)
    }

    static func decode(_ text: String) -> [Unicode.Scalar]? {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 < 128 }) else { return nil }
        var output: [Unicode.Scalar] = []
        var index = 0
        if let delimiter = bytes.lastIndex(of: 0x2D) {
            output = bytes[..<delimiter].map { Unicode.Scalar($0) }
            index = delimiter + 1
        }
        var n = initialN
        var i = 0
        var bias = initialBias
        while index < bytes.count {
            let old = i
            var weight = 1
            var k = base
            while true {
                guard index < bytes.count, let digit = value(of: bytes[index]) else { return nil }
                index += 1
                guard digit <= (Int(Int32.max) - i) / weight else { return nil }
                i += digit * weight
                let t = threshold(k, bias)
                if digit < t { break }
                guard weight <= Int(Int32.max) / (base - t) else { return nil }
                weight *= base - t
                k += base
            }
            bias = adapt(i - old, count: output.count + 1, isFirst: old == 0)
            n += i / (output.count + 1)
            i %= output.count + 1
            guard n <= 0x10FFFF, let scalar = Unicode.Scalar(UInt32(n)) else { return nil }
            output.insert(scalar, at: i)
            i += 1
        }
        return output
    }

    private static func value(of byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30 + 26
        case 0x41...0x5A: Int(byte) - 0x41
        case 0x61...0x7A: Int(byte) - 0x61
        default: nil
        }
    }
}
