import TextMatching

/// Most references on a bank's pages are like `/accounts/1?page=2`. What such a one means is plain, and so is what it
/// becomes: the parser would leave every letter of it as it is.
extension URLParts {
    /// What a reference leads to from here; nil when it is not of the plainest form, and the parser has to look at it: a
    /// slash and segments of ASCII letters, digits, hyphens and underscores, with dots inside of them, and perhaps a
    /// query that has equals signs and ampersands besides.
    func following(plainReference reference: String) -> URLParts? {
        guard isSpecial, scheme != "file", host != nil, !hasOpaquePath else { return nil }
        return reference.withBytes { bytes in
            guard let first = bytes.first, first == UInt8(ascii: "/") else { return nil }
            var segments: [String] = []
            segments.reserveCapacity(4)
            var place = 0
            while place < bytes.count, bytes[place] == UInt8(ascii: "/") {
                let start = place + 1
                place = start
                while place < bytes.count, bytes[place].isPlain || bytes[place] == UInt8(ascii: ".") && place > start {
                    place += 1
                }
                guard place > start else { return nil }
                segments.append(String(decoding: bytes[start..<place], as: UTF8.self))
            }
            var following = self
            following.path = .segments(segments)
            following.query = nil
            following.fragment = nil
            if place < bytes.count {
                guard bytes[place] == UInt8(ascii: "?") else { return nil }
                let query = bytes[(place + 1)...]
                guard query.allSatisfy({ $0.isPlain || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "&") }) else {
                    return nil
                }
                following.query = String(decoding: query, as: UTF8.self)
            }
            return following
        }
    }
}

extension UInt8 {
    fileprivate var isPlain: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
