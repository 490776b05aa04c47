/// Damaged copies of a file, the same ones in each run.
package enum Mutations {
    /// Returns the file with a few bytes changed, removed, repeated or cut off.
    package static func mutated(_ file: [UInt8], seed: UInt64) -> [UInt8] {
        var random = SplitMix(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        var bytes = file
        for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let length = Int.random(in: 1...16, using: &random)
            let range = place..<min(bytes.count, place + length)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = [0, 0xFF, 0x7F, 0x80, 0x3C, 0x26].randomElement(using: &random) ?? 0
            case 2: bytes.removeSubrange(range)
            case 3: bytes.insert(contentsOf: bytes[range], at: place)
            case 4: for index in range { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return bytes
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
