import Foundation

extension Redactor {
    /// One way in which a secret may be written, to be found and removed.
    struct Spelling: Sendable {
        let text: String
        let isWord: Bool
        /// The bytes of a spelling that is entirely ASCII.
        private let bytes: [UInt8]?

        init(text: String, isWord: Bool) {
            self.text = text
            self.isWord = isWord
            bytes = text.utf8.allSatisfy { $0 < 0x80 } ? Array(text.utf8) : nil
        }

        /// For ASCII, searching bytes finds the same places as searching characters, and is much faster. A logger
        /// searches for each spelling of each secret at each record.
        func occurs(in haystack: inout String) -> Bool {
            guard let bytes else { return haystack.contains(text) }
            return haystack.withUTF8 { Self.search(UnsafeRawBufferPointer($0), for: bytes) }
        }

        private static func search(_ hay: UnsafeRawBufferPointer, for bytes: [UInt8]) -> Bool {
            guard let first = bytes.first, var place = hay.baseAddress else { return false }
            let end = place + hay.count
            while end - place >= bytes.count,
                let hit = memchr(place, Int32(first), end - place - bytes.count + 1)
            {
                if memcmp(hit, bytes, bytes.count) == 0 { return true }
                place = UnsafeRawPointer(hit) + 1
            }
            return false
        }

        func remove(from haystack: String) -> String {
            guard isWord else { return haystack.replacingOccurrences(of: text, with: Secret.mask) }
            let pattern = #"(?<![\p{L}\p{N}])"# + NSRegularExpression.escapedPattern(for: text) + #"(?![\p{L}\p{N}])"#
            return haystack.replacingOccurrences(of: pattern, with: Secret.mask, options: .regularExpression)
        }
    }
}
