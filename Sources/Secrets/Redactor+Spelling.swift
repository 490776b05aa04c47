import Foundation

extension Redactor {
    /// One way in which a secret may be written, to be found and removed. It is as sensitive as the secret, and lies in
    /// locked memory as the secret does.
    struct Spelling: Sendable {
        let bytes: LockedBytes
        let isWord: Bool
        private let isASCII: Bool

        init(text: String, isWord: Bool) {
            bytes = LockedBytes(text)
            self.isWord = isWord
            isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        }

        /// For ASCII, searching bytes finds the same places as searching characters, and is much faster. A logger
        /// searches for each spelling of each secret at each record.
        func occurs(in haystack: inout String) -> Bool {
            guard isASCII else { return haystack.contains(bytes.text) }
            return haystack.withUTF8 { Self.search(UnsafeRawBufferPointer($0), for: bytes.content) }
        }

        private static func search(_ hay: UnsafeRawBufferPointer, for bytes: UnsafeRawBufferPointer) -> Bool {
            guard let first = bytes.first, var place = hay.baseAddress else { return false }
            let end = place + hay.count
            while end - place >= bytes.count,
                let hit = memchr(place, Int32(first), end - place - bytes.count + 1)
            {
                if memcmp(hit, bytes.baseAddress!, bytes.count) == 0 { return true }
                place = UnsafeRawPointer(hit) + 1
            }
            return false
        }

        func remove(from haystack: String) -> String {
            let text = bytes.text
            guard isWord else { return haystack.replacingOccurrences(of: text, with: Secret.mask) }
            let pattern = #"(?<![\p{L}\p{N}])"# + NSRegularExpression.escapedPattern(for: text) + #"(?![\p{L}\p{N}])"#
            return haystack.replacingOccurrences(of: pattern, with: Secret.mask, options: .regularExpression)
        }
    }
}
