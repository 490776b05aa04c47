import Encodings

/// A list that another one trusts for some paths (TUF specification 1.0.34, section 4.5).
package struct Delegation: Sendable {
    package let name: String
    package let role: SigningRole
    /// When this list has a path to itself and does not name it, no later one is asked.
    package let isTerminating: Bool
    private let patterns: [String]
    private let hashPrefixes: [String]

    init(_ json: JSONValue, keys: [String: MetadataKey]) throws(CollectionError) {
        guard let name = json["name"]?.stringValue, CollectionPath.isRoleName(name) else {
            throw CollectionError(.malformed, "a delegation has no name, or one that is not a file's name")
        }
        self.name = name
        role = try SigningRole(json, keys: keys, named: name)
        isTerminating = json["terminating"]?.boolValue ?? false
        let patterns = json["paths"]?.arrayValue?.compactMap(\.stringValue)
        let prefixes = json["path_hash_prefixes"]?.arrayValue?.compactMap(\.stringValue)
        guard (patterns == nil) != (prefixes == nil) else {
            throw CollectionError(.malformed, "the delegation \(name) needs either “paths” or “path_hash_prefixes”")
        }
        self.patterns = patterns ?? []
        hashPrefixes = prefixes ?? []
    }

    /// Returns whether the list may name a path.
    ///
    /// - Parameter hash: the SHA-256 of the path in hex. A caller with many lists computes it once.
    func covers(_ path: String, hash: @autoclosure () -> String) -> Bool {
        guard hashPrefixes.isEmpty else {
            let hash = hash()
            return hashPrefixes.contains { hash.hasPrefix($0) }
        }
        return patterns.contains { Self.matches(path, $0) }
    }

    /// Compares segment by segment: `*` and `?` do not match a slash.
    private static func matches(_ path: String, _ pattern: String) -> Bool {
        let path = path.split(separator: "/", omittingEmptySubsequences: false)
        let pattern = pattern.split(separator: "/", omittingEmptySubsequences: false)
        return path.count == pattern.count && zip(path, pattern).allSatisfy { fits(Array($0.utf8), Array($1.utf8)) }
    }

    private static func fits(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        var (place, here) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while here < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, here)
                place += 1
            } else if place < pattern.count, pattern[place] == UInt8(ascii: "?") || pattern[place] == text[here] {
                place += 1
                here += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                place = last.pattern + 1
                here = last.text + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
