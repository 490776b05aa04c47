import CLibXML2

/// A name of at most twelve small letters and digits as one number, to be looked up without making a text of it.
struct ShortName: Hashable {
    private static let longest = 12

    private let value: UInt64

    /// Nil for a name of another kind; no two names have the same number.
    init?(_ name: UnsafePointer<xmlChar>) {
        var value: UInt64 = 0
        var length = 0
        while name[length] != 0 {
            guard length < Self.longest else { return nil }
            switch name[length] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                value = value * 37 + UInt64(name[length] - UInt8(ascii: "a") + 1)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value * 37 + UInt64(name[length] - UInt8(ascii: "0") + 27)
            default: return nil
            }
            length += 1
        }
        self.value = value
    }

    init?(_ name: String) {
        guard let short = Array((name + "\0").utf8).withUnsafeBufferPointer({ $0.baseAddress.flatMap(Self.init) })
        else {
            return nil
        }
        self = short
    }
}
