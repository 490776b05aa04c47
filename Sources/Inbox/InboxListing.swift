import Files
import Foundation

/// What lies in an inbox at one moment: the manifests, and the PDFs that belong to them.
struct InboxListing: Sendable {
    /// A file's size and time, by which two looks are compared.
    struct Stamp: Sendable, Equatable {
        let size: Int
        let modified: Int
    }

    enum File: Sendable, Equatable {
        case missing
        case plain(Stamp)
        /// A link, a folder, a FIFO, a file with two names: no plain file, and none that will become one.
        case impostor
        /// It cannot be read just now.
        case unreadable

        init(_ file: URL) {
            if let opened = try? OpenedFile(file) {
                self = .plain(Stamp(size: opened.size, modified: opened.modified))
                return
            }
            var status = stat()
            guard lstat(file.path, &status) == 0 else {
                self = errno == ENOENT ? .missing : .unreadable
                return
            }
            self = status.st_mode & S_IFMT != S_IFREG || status.st_nlink != 1 ? .impostor : .unreadable
        }
    }

    /// A manifest with its PDF, as far as they are there.
    struct Delivery: Sendable {
        let name: String
        let manifest: File
        let pdf: File
    }

    let deliveries: [Delivery]

    init(_ folder: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let manifests = names.filter {
            $0.hasSuffix(InboxPaths.manifestEnding) && !TemporaryNames.isTemporary($0)
        }
        deliveries = manifests.sorted().map { name in
            let paths = InboxPaths(manifest: name, in: folder)
            return Delivery(name: name, manifest: File(paths.manifest), pdf: File(paths.pdf))
        }
    }
}

/// Where the two files of a delivery are.
struct InboxPaths: Sendable {
    static let manifestEnding = ".manifest.json"

    let manifest: URL
    let pdf: URL

    init(manifest name: String, in folder: URL) {
        manifest = folder.appending(path: name)
        pdf = folder.appending(path: name.dropLast(Self.manifestEnding.count) + ".pdf")
    }
}
