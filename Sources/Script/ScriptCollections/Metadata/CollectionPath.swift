import Encodings

/// The names of files in a collection. Every machine reads them alike, and none leads out of a folder.
package enum CollectionPath {
    /// The most bytes of one name: what common file systems hold, with a hash before it.
    private static let longestName = 120
    private static let longest = 400
    private static let deepest = 8

    /// Names that some systems keep for devices.
    private static let devices: Set<String> = ["con", "prn", "aux", "nul"]

    /// Checks a target's path.
    ///
    /// - Throws: ``CollectionError`` of kind `unsafePath`.
    package static func check(_ path: String) throws(CollectionError) {
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard path.utf8.count <= longest, names.count <= deepest, names.allSatisfy(isPlain) else {
            throw CollectionError(
                .unsafePath,
                "“\(path.inLine(limit: 120))” is not a path that a collection may have: letters, digits and ._-")
        }
    }

    /// Returns whether a name has ASCII letters, digits, `.`, `_` and `-` only, and is not hidden.
    package static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.last != UInt8(ascii: ".") && !devices.contains(name.lowercased())
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Returns whether a delegated role's name can be that of its file.
    static func isRoleName(_ name: String) -> Bool {
        isPlain(name) && !["root", "timestamp", "snapshot", "targets"].contains(name.lowercased())
    }

    /// Returns two paths that differ only in case; nil without such twins.
    package static func twins(in paths: some Sequence<String>) -> (String, String)? {
        var seen: [String: String] = [:]
        for path in paths.sorted() {
            if let other = seen.updateValue(path, forKey: path.lowercased()), other != path { return (other, path) }
        }
        return nil
    }
}
