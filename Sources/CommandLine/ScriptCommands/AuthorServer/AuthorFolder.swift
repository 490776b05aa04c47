import Foundation
import Terminal

/// The folder that an author opened to an assistant. Nothing outside it is read, whatever a path says, and no link is followed.
///
/// The folder is opened once. Each part of a path is opened below it, so that a folder which is exchanged for a link between a
/// check and the reading is no way out.
final class AuthorFolder: @unchecked Sendable {
    private let descriptor: Int32

    /// The most parts of a path.
    private static let deepest = 12
    /// The longest path, in bytes.
    private static let longestPath = 500

    /// - Throws: ``CommandFailure`` with status 2 when it is not a folder that can be opened.
    init(_ path: String) throws(CommandFailure) {
        let opened = open(TypedPath.expanded(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else {
            throw CommandFailure(
                "\(path.inLine(limit: 200)) is not a folder that you may read; name the folder with your scripts",
                status: 2)
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: relative to the folder, with `/` between its parts.
    ///   - kinds: the endings that the file may have.
    /// - Throws: ``ToolFailure`` for another path, for a link, a device or a file with a second name, and for one with more than
    ///   `limit` bytes.
    func bytes(_ path: String, endingIn kinds: [String], atMost limit: Int) throws(ToolFailure) -> [UInt8] {
        let parts = try Self.parts(of: path)
        guard let name = parts.last, kinds.contains(where: { name.hasSuffix(".\($0)") }) else {
            throw ToolFailure(
                "“\(Self.shown(path))” does not end in \(kinds.map { ".\($0)" }.joined(separator: " or "))")
        }
        let file = try opened(name, in: parts.dropLast(), of: path)
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            throw ToolFailure("“\(Self.shown(path))” is not a plain file with one name")
        }
        guard status.st_size <= limit, let data = try? handle.read(upToCount: limit + 1) ?? Data(), data.count <= limit
        else { throw ToolFailure("“\(Self.shown(path))” cannot be read, or has more than \(limit) bytes") }
        return Array(data)
    }

    private func opened(_ name: String, in folders: ArraySlice<String>, of path: String) throws(ToolFailure) -> Int32 {
        var folder = descriptor
        defer { if folder != descriptor { close(folder) } }
        for part in folders {
            let inner = openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard inner >= 0 else { throw Self.missing(path) }
            if folder != descriptor { close(folder) }
            folder = inner
        }
        // O_NONBLOCK: opening a FIFO would wait for a writer.
        let file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw Self.missing(path) }
        return file
    }

    private static func missing(_ path: String) -> ToolFailure {
        ToolFailure(
            "“\(shown(path))” is not a file of the folder: it is missing, a link, or in a folder that is a link")
    }

    /// Returns the parts of a path, none of which leads elsewhere.
    private static func parts(of path: String) throws(ToolFailure) -> [String] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let isPlain =
            path.utf8.count <= longestPath && parts.count <= deepest
            && parts.allSatisfy { part in
                !part.isEmpty && !part.hasPrefix(".")
                    && !part.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
            }
        guard isPlain else {
            throw ToolFailure(
                "“\(shown(path))” is not a path in the folder: write it relative to the folder, without “..”, and without names "
                    + "that begin with a dot")
        }
        return parts
    }

    /// Returns the path of a file that another file names, relative to that one's place.
    static func path(_ named: String, beside file: String) -> String {
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return (folder + [Substring(named)]).joined(separator: "/")
    }

    private static func shown(_ path: String) -> String { path.inLine(limit: 200) }
}
