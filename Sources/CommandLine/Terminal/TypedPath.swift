import Encodings
import Foundation
import Machine

/// Paths as a person types them.
package enum TypedPath {
    /// Expands a leading `~` to the home folder: `HOME` if it is set.
    package static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return (ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()) + path.dropFirst()
    }

    /// Reads a file, or standard input for `-`.
    ///
    /// A path names a regular file, or a pipe that the shell has opened: `<(command)`. A FIFO or a device in a folder would
    /// make the command wait for ever.
    ///
    /// - Throws: ``CommandFailure`` when it cannot be read, or has more than `limit` bytes.
    package static func bytes(
        _ path: String, atMost limit: Int, failingWith status: Int32 = 2
    ) throws(CommandFailure) -> [UInt8] {
        let isOpen = ["/dev/fd/", "/proc/self/fd/", "/dev/stdin"].contains { path.hasPrefix($0) }
        let bytes: [UInt8]
        do {
            if path == "-" || isOpen {
                let handle =
                    path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
                bytes = Array(try handle.read(upToCount: limit + 1) ?? Data())
            } else {
                let file = try OpenedFile(URL(filePath: expanded(path)), links: .followed)
                bytes = file.size > limit ? try file.start(limit + 1) : try file.bytes(atMost: limit)
            }
        } catch let error as FileError where error.code == EINVAL {
            throw CommandFailure(
                "\(path) is not a regular file; name one, or give - and pipe the content to standard input",
                status: status)
        } catch let error as FileError where error.code == ENOENT || error.code == ENOTDIR {
            throw CommandFailure(missing(path), status: status)
        } catch let error as FileError where error.code == EACCES {
            throw CommandFailure(
                "you may not read \(path); whose it is, and its mode, are shown by: ls -l \(path)", status: status)
        } catch  where path == "-" {
            throw CommandFailure("standard input is closed; pipe the text into it, or name a file", status: status)
        } catch {
            throw CommandFailure(
                "\(path) cannot be read; check that the file exists and that you may read it", status: status)
        }
        guard bytes.count <= limit else {
            throw CommandFailure(
                "\(path) has more than \(limit) bytes, too many for what it should hold", status: status)
        }
        return bytes
    }

    /// Says that a file does not exist, and names the one in its folder with the most similar name.
    package static func missing(_ path: String) -> String {
        let file = URL(filePath: expanded(path))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)) ?? []
        guard !names.contains(file.lastPathComponent) else {
            return "\(path) leads nowhere; name a file that is there"
        }
        let isFolder = path.hasSuffix("/")
        let near =
            isFolder ? nil : nearest(to: file.lastPathComponent, among: names.filter { !$0.hasPrefix(".") }.sorted())
        let advice =
            near.map { "did you mean \(path.dropLast(file.lastPathComponent.count))\($0.inLine(limit: 255))?" }
            ?? "name a file that is there"
        return "\(path) does not exist; \(advice)"
    }

    /// Returns the URL of a file that does not exist yet, so that nothing is overwritten.
    ///
    /// - Throws: ``CommandFailure`` when there is such a file.
    package static func newFile(_ path: String) throws -> URL {
        let url = URL(filePath: expanded(path))
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw CommandFailure("\(path) already exists; choose another name")
        }
        return url
    }
}

extension FileManager {
    /// Checks that the folder of a file that a command is to make is there.
    ///
    /// - Throws: ``CommandFailure`` with status 2.
    package func checkFolder(ofNew path: String) throws(CommandFailure) {
        let folder = URL(filePath: TypedPath.expanded(path)).deletingLastPathComponent()
        guard fileExists(atPath: folder.path) else {
            throw CommandFailure(
                "\(path) cannot be created, because its folder \(folder.path) does not exist; make it with mkdir -p, or give "
                    + "another name", status: 2)
        }
    }

    /// Creates a file for what a command makes, and overwrites none.
    ///
    /// - Parameter isPrivate: keeps other users of the machine from reading it.
    /// - Throws: ``CommandFailure`` with status 2 that says why there is no such file now, and what helps.
    package func createFile(
        exclusively path: String, _ data: Data, isPrivate: Bool = false
    ) throws(CommandFailure) {
        let url = URL(filePath: TypedPath.expanded(path))
        var status = stat()
        guard lstat(url.path, &status) != 0 else {
            throw CommandFailure("\(path) exists already; move it away or give another name", status: 2)
        }
        try checkFolder(ofNew: path)
        do {
            if isPrivate {
                try AtomicFile.write(data, toNew: url)
            } else {
                try data.write(to: url, options: .withoutOverwriting)
            }
        } catch {
            // A part of a file, on a disk that is full, would look like the whole. Another program's is left alone.
            if !isPrivate, (error as? CocoaError)?.code != .fileWriteFileExists { try? removeItem(at: url) }
            let reason = (error as? CocoaError).map(\.reason) ?? "\(error)"
            throw CommandFailure(
                "\(path) cannot be created: \(reason); free some space there, or give a file in a folder of yours",
                status: 2)
        }
    }
}
