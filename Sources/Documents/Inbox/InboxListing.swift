import Foundation
import Machine
import Messages

/// The manifests in an inbox at one moment, with their PDFs, and what is there beside them.
struct InboxListing: Sendable {
    /// A file's size and modification time, to compare two looks.
    struct Stamp: Sendable, Equatable {
        let size: Int
        let modified: Int
    }

    enum File: Sendable, Equatable {
        case missing
        case plain(Stamp)
        /// A link, a folder, a FIFO or a file with two names: it is not a plain file and will not become one.
        case impostor
        /// The file cannot be read now.
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

    /// A manifest with its PDF, each of which may be missing.
    struct Delivery: Sendable {
        let name: String
        let manifest: File
        let pdf: File
    }

    /// False when the folder itself cannot be read.
    let isThere: Bool
    let deliveries: [Delivery]
    /// The closing manifests by name.
    let closings: [(name: String, file: File)]
    /// The plain files that belong to no delivery, or not yet.
    let remains: [(remains: Remains, stamp: Stamp)]

    init(_ folder: URL) {
        let listed = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        isThere = listed != nil
        let names = listed ?? []
        let manifests = names.filter {
            $0.hasSuffix(InboxPaths.manifestEnding) && !TemporaryNames.isTemporary($0)
        }
        deliveries = manifests.sorted().map { name in
            let paths = InboxPaths(manifest: name, in: folder)
            return Delivery(name: name, manifest: File(paths.manifest), pdf: File(paths.pdf))
        }
        closings = names.filter { $0.hasSuffix(InboxPaths.closingEnding) && !TemporaryNames.isTemporary($0) }
            .sorted().map { ($0, File(folder.appending(path: $0))) }
        let present = Set(names)
        remains = names.sorted().compactMap { name in
            guard let remains = Remains(name), remains.counterpart.map({ present.contains($0) }) != true,
                case .plain(let stamp) = File(folder.appending(path: name))
            else { return nil }
            return (remains, stamp)
        }
    }
}

/// The paths of a delivery's two files.
struct InboxPaths: Sendable {
    static let manifestEnding = ".manifest.json"
    static let closingEnding = ".closing.json"
    static let messageEndings = [manifestEnding, closingEnding]
    /// The endings of the files that manifests describe.
    static var fileEndings: [String] { DocumentKind.allCases.map { "." + $0.fileExtension } }

    let manifest: URL
    /// The statement or document.
    let pdf: URL

    /// The paths for a manifest or, with a file that is not there, for a closing manifest.
    init(file name: String, in folder: URL) {
        let ending = Self.messageEndings.first { name.hasSuffix($0) } ?? ""
        manifest = folder.appending(path: name)
        pdf = folder.appending(path: Self.filename(String(name.dropLast(ending.count))))
    }

    init(manifest name: String, in folder: URL) {
        manifest = folder.appending(path: name)
        pdf = folder.appending(path: Self.filename(String(name.dropLast(Self.manifestEnding.count))))
    }

    /// Returns the name of the manifest of a file: a PDF's has no ending of its own, as the specification has it.
    static func manifestName(of filename: String) -> String {
        (filename.hasSuffix(".pdf") ? String(filename.dropLast(4)) : filename) + manifestEnding
    }

    private static func filename(_ stem: String) -> String {
        fileEndings.contains { $0 != ".pdf" && stem.hasSuffix($0) } ? stem : stem + ".pdf"
    }
}
