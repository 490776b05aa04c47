import Foundation
import TestSupport
import Testing

@testable import Archive

@Suite("An index that someone with access to the folder has changed")
struct ChangedIndexTests {
    /// An archive inside a folder that also has a file outside the archive, with the content of the first document: a comparison
    /// of digests alone would take it.
    private final class Place: Sendable {
        let outside: TemporaryFolder
        let archive: DocumentArchive
        let document: ArchivedDocument
        let other: ArchivedDocument

        var root: URL { outside.appending("archive") }
        var secret: URL { outside.appending("secret.csv") }

        init() async throws {
            outside = try TemporaryFolder()
            let root = outside.appending("archive")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
            let archive = try DocumentArchive(root: root)
            self.archive = archive
            func file(_ text: String) async throws -> ArchivedDocument {
                try await archive.file(
                    IncomingDocument(.bytes(ArchiveStage.csv(text)), bank: "meridian", account: text)
                ).document
            }
            document = try await file("one")
            other = try await file("another")
            try Data(ArchiveStage.csv("one")).write(to: outside.appending("secret.csv"))
            let link = root.appending(path: "linked")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: outside.url)
            try FileManager.default.createSymbolicLink(
                at: root.appending(path: "file.csv"), withDestinationURL: outside.appending("secret.csv"))
            #expect(mkfifo(root.appending(path: "pipe.csv").path, 0o600) == 0)
        }
    }

    private static let paths = [
        "../secret.csv", "../../etc/passwd", "/etc/passwd", "meridian/../../secret.csv", "./../secret.csv", "..", ".",
        "", "/", "linked/secret.csv", "file.csv", "pipe.csv", ".countersign/index.sqlite", "meridian", "linked",
        "meridian//x", "meridian\u{0}/../../secret.csv", "\u{301}/../../secret.csv", "missing.csv",
        String(repeating: "a/", count: 3000) + "x", String(repeating: "x", count: 300), "OUTSIDE", "OTHER",
    ]

    @Test("does not lead out of the archive, nor to another file", arguments: paths)
    func path(path: String) async throws {
        let place = try await Place()
        let path = path.replacing("OUTSIDE", with: place.secret.path).replacing("OTHER", with: place.other.path)
        if path == place.other.path { try place.archive.index.remove(digest: place.other.sha256) }
        try place.archive.index.setPath(path, ofDigest: place.document.sha256)
        let document = try await place.archive.document(place.document.id)
        // SQLite gives a text back until its first NUL.
        #expect(document.path == path || path.contains("\0"))
        #expect((try? await place.archive.unchangedFile(of: document)) == nil)
        #expect((try? await place.archive.unchangedContent(of: document, atMost: 1 << 20)) == nil)
        #expect(try await place.archive.files(withDigests: [document.sha256]).isEmpty)
        #expect(try await !place.archive.verify().isClean)
        try? await place.archive.forget(document, deletingFile: true)
        #expect(FileManager.default.fileExists(atPath: place.secret.path), "nothing outside is removed")
        #expect(FileManager.default.fileExists(atPath: place.root.appending(path: place.other.path).path))
    }

    @Test("is mended by a rebuild")
    func rebuilt() async throws {
        for path in ["../secret.csv", "linked/secret.csv", "OUTSIDE"] {
            let place = try await Place()
            let path = path.replacing("OUTSIDE", with: place.secret.path)
            try place.archive.index.setPath(path, ofDigest: place.document.sha256)
            #expect(try await place.archive.rebuild().moved == 1)
            let document = try await place.archive.document(place.document.id)
            #expect(document == place.document)
            #expect(try await place.archive.unchangedFile(of: document) != nil)
        }
    }

    @Test("a file that is written to again is compared again")
    func written() async throws {
        let place = try await Place()
        let file = try #require(try await place.archive.unchangedFile(of: place.document))
        #expect(try await place.archive.unchangedFile(of: place.document) != nil)
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("X".utf8))
        try handle.close()
        #expect(try await place.archive.unchangedFile(of: place.document) == nil)
        #expect(try await place.archive.unchangedContent(of: place.document, atMost: 1 << 20) == nil)
    }
}
