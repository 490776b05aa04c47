import Crypto
import Encodings

/// A collection whose metadata is verified: every file that it names, with its length and its hashes.
package struct VerifiedCollection: Sendable {
    let isConsistent: Bool
    /// Every list that was verified, by its role's name.
    let lists: [String: TargetsMetadata]
    /// The version of the snapshot.
    package let version: Int

    /// The most lists that are asked for one path (TUF specification 1.0.34, section 5.6.7.1).
    static let mostLists = 1024

    /// Returns what the collection says of a path; nil for a path that it does not name.
    ///
    /// Lists are asked from the top down, and a list counts only for the paths that it was trusted with (section 5.6.7).
    package func facts(of path: String) -> FileFacts? {
        let hash = Base16.encode(SHA256.hash(data: Array(path.utf8)))
        var work = ["targets"]
        var seen: Set<String> = []
        while let name = work.popLast() {
            guard seen.count < Self.mostLists, seen.insert(name).inserted, let list = lists[name] else { continue }
            if let facts = list.targets[path] { return facts }
            var children: [String] = []
            for delegation in list.delegations where delegation.covers(path, hash: hash) {
                children.append(delegation.name)
                if delegation.isTerminating {
                    work = []
                    break
                }
            }
            work += children.reversed()
        }
        return nil
    }

    /// Every path that a list names and may name, with what the collection says of it.
    package var files: [String: FileFacts] {
        var found: [String: FileFacts] = [:]
        for list in lists.values {
            for path in list.targets.keys where found[path] == nil {
                if let facts = facts(of: path) { found[path] = facts }
            }
        }
        return found
    }
}
