import Foundation

/// A process that this process started, itself or through another.
package struct Descendant: Sendable, Hashable {
    package let id: Int32
    package let command: String

    /// The running descendants of this process, without those that have ended and wait for their parent.
    package static var all: [Descendant] {
        let files = FileManager.default
        var children: [Int32: [Int32]] = [:]
        for id in ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init) {
            if let parent = parent(of: id) { children[parent, default: []].append(id) }
        }
        var found: [Int32] = []
        var next = children[getpid()] ?? []
        while let id = next.popLast() {
            found.append(id)
            next += children[id] ?? []
        }
        return found.map { id in
            let command = try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)
            return Descendant(id: id, command: (command ?? "").replacingOccurrences(of: "\0", with: " "))
        }
    }

    /// Returns the parent of any process that runs; nil for one that has ended, also when it still waits for its parent.
    package static func parent(of id: Int32) -> Int32? {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let end = status.lastIndex(of: ")")
        else { return nil }
        let fields = status[status.index(after: end)...].split(separator: " ")
        return fields.count > 1 && fields[0] != "Z" ? Int32(fields[1]) : nil
    }
}
