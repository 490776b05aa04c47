#if os(Linux)
    import Automation
    import Crypto
    import Encodings
    import FileKinds
    import Foundation
    import Machine
    import Messages
    import Synchronization

    /// Takes the documents that a visit's process has put into its folder to a place where the process cannot change them.
    struct VisitArrivals: Sendable {
        /// The largest document, in bytes. The broker takes no larger one.
        private static let largest = 64 << 20
        /// The most bytes of all documents of a visit.
        private static let mostBytes = 1 << 30

        private final class Total: Sendable {
            let bytes = Mutex(0)
        }

        let folder: URL
        private let downloads: URL
        private let total = Total()

        init(from folder: URL, to downloads: URL) {
            self.folder = folder
            self.downloads = downloads
        }

        /// Copies a document, and checks the copy: its size and digest, and that it is of its kind.
        ///
        /// - Parameter kind: what was asked for, whatever the process calls the document.
        /// - Throws: ``CallLine/Nonsense`` for a document that is not what the process says.
        func take(_ json: JSONValue, as kind: DocumentKind) async throws -> FetchedDocument {
            guard let document = FetchedDocument(visitJSON: json, in: folder) else {
                throw CallLine.Nonsense("a document has a name, a kind, a digest and a size")
            }
            guard document.kind == kind else {
                throw CallLine.Nonsense("its document is of another kind than was asked for")
            }
            guard document.bytes <= Self.largest else {
                throw RunFailure(
                    .pdfDownloadFailed,
                    message:
                        "the document has \(document.bytes) bytes; the broker takes at most \(Self.largest >> 20) MB")
            }
            let bytes = total.bytes.withLock { bytes in
                bytes += document.bytes
                return bytes
            }
            guard bytes <= Self.mostBytes else {
                throw CallLine.Nonsense("its documents have more than \(Self.mostBytes >> 20) MB together")
            }
            let place = try await FolderSink(downloads).destination()
            return try await BlockingWork.run { try Self.take(document, to: place) }
        }

        private static func take(_ document: FetchedDocument, to place: URL) throws -> FetchedDocument {
            let bytes: [UInt8]
            do {
                bytes = try OpenedFile(document.file).bytes(atMost: largest)
            } catch {
                throw CallLine.Nonsense("the file of its document cannot be read")
            }
            guard bytes.count == document.bytes, Base16.encode(SHA256.hash(data: bytes)) == document.sha256 else {
                throw CallLine.Nonsense("its document is another one than it says")
            }
            let kept = try checked(bytes, document)
            try PassingFile.write(kept, to: place)
            unlink(document.file.path)
            return FetchedDocument(
                file: place, kind: document.kind, sha256: Base16.encode(SHA256.hash(data: kept)), bytes: kept.count)
        }

        /// Returns the bytes to keep. The process has done this check with a confined reader of its own, if it did what it should.
        private static func checked(_ bytes: [UInt8], _ document: FetchedDocument) throws -> [UInt8] {
            if document.kind == .pdf {
                var frame = PDFFrame()
                bytes.withUnsafeBytes { frame.observe($0) }
                guard frame.problem == nil else { throw CallLine.Nonsense("its document is not a PDF") }
                return bytes
            }
            guard let checked = try? ForeignFiles().check(bytes, as: FileKind(document.kind)) else {
                throw CallLine.Nonsense("its document is not of the kind \(document.kind.rawValue)")
            }
            return checked.bytes
        }
    }
#endif
