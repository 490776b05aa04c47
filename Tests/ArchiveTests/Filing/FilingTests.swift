import Clocks
import FileKinds
import Foundation
import Machine
import TestSupport
import Testing

@testable import Archive

@Suite("Filing documents")
struct FilingTests {
    @Test("a document is filed under its bank, account, year and month, readable by its owner only")
    func path() async throws {
        let stage = try ArchiveStage()
        let document = try await stage.file("a").document
        #expect(document.path == "meridian/giro/2025/2025-03 csv.csv")
        let file = stage.folder.appending(document.path)
        #expect(try Data(contentsOf: file) == Data(ArchiveStage.csv("a")))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: file.deletingLastPathComponent().path)
        #expect((folder[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        #expect(stage.paths == [document.path])
    }

    @Test("the same content is filed once, also from two processes at the same time")
    func once() async throws {
        let stage = try ArchiveStage()
        let other = try stage.opened()
        let outcomes = try await withThrowingTaskGroup(of: FilingOutcome.self) { group in
            for number in 0..<20 {
                group.addTask { try await stage.file("same", in: number.isMultiple(of: 2) ? stage.archive : other) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { if case .filed = $0 { true } else { false } }.count == 1)
        #expect(stage.paths.count == 1)
        let later = try await stage.file("same", "2025-04")
        #expect(later == .known(outcomes[0].document))
    }

    @Test("another content with the same path gets a number, and nothing is overwritten")
    func numbers() async throws {
        let stage = try ArchiveStage()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { try await stage.file("text \(number)") } }
            try await group.waitForAll()
        }
        #expect(stage.paths.count == 20)
        #expect(stage.paths.contains("meridian/giro/2025/2025-03 csv (20).csv"))
        #expect(try await stage.archive.verify().isClean)
    }

    @Test("a file that another program put there stays as it is")
    func foreign() async throws {
        let stage = try ArchiveStage()
        let place = stage.folder.appending("meridian/giro/2025")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let file = place.appending(path: "2025-03 csv.csv")
        try Data("mine".utf8).write(to: file)
        #expect(try await stage.file("a").document.path == "meridian/giro/2025/2025-03 csv (2).csv")
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }

    @Test("a file that a killed filer left without an index entry becomes the document's")
    func leftover() async throws {
        let stage = try ArchiveStage()
        let place = stage.folder.appending("meridian/giro/2025")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data(ArchiveStage.csv("a")).write(to: place.appending(path: "2025-03 csv.csv"))
        try await stage.file("a")
        #expect(stage.paths == ["meridian/giro/2025/2025-03 csv.csv"])
        #expect(try await stage.archive.verify().isClean)
    }

    @Test(
        "no bank or account leads out of the archive",
        arguments: [
            "../../etc", "..", "/etc", "a/b", "a\\b", "\u{202E}gpj", "con", ".hidden", "a\0b",
            String(repeating: "é", count: 300), " ", "👩‍💻 Bank 🏦", "\u{5D1}\u{5E0}\u{5E7} / \u{200F}7",
            String(repeating: "👨‍👩‍👧‍👦", count: 200), "a\u{2066}b\u{2069}", "a\u{2028}b", "\u{FEFF}con",
        ])
    func names(_ name: String) async throws {
        let stage = try ArchiveStage()
        let document = try await stage.file("a", bank: name, account: name).document
        #expect(stage.paths == [document.path])
        let parts = document.path.split(separator: "/")
        #expect(parts.count == 4 || parts.count == 3)
        for part in parts {
            #expect(part != ".." && !part.hasPrefix(".") && part.utf8.count <= 130)
            #expect(!part.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 || $0 == "\\" })
            #expect(!part.unicodeScalars.contains { $0.properties.generalCategory == .format })
        }
    }

    @Test("a link in the place of a folder is not followed")
    func links() async throws {
        let stage = try ArchiveStage()
        let elsewhere = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            at: stage.folder.appending("meridian"), withDestinationURL: elsewhere.url)
        await #expect(throws: FileError.self) { try await stage.file("a") }
        #expect(elsewhere.names.isEmpty)
    }

    @Test("what is refused, or has another digest, leaves nothing behind")
    func refused() async throws {
        let stage = try ArchiveStage()
        let page = IncomingDocument(.bytes(Array("<html><body>Sign in</body></html>".utf8)), kind: .pdf, bank: "b")
        await #expect(
            throws: ArchiveError(.refused, "the file is an HTML page, not a PDF; download it again, or choose another")
        ) {
            try await stage.archive.file(page)
        }
        let changed = IncomingDocument(
            .bytes(ArchiveStage.csv("a")), bank: "b", sha256: String(repeating: "0", count: 64))
        await #expect(throws: ArchiveError.self) { try await stage.archive.file(changed) }
        #expect(stage.paths.isEmpty)
        #expect(try await stage.archive.documents().isEmpty)
    }

    @Test("a page is kept without its scripts, and known by the digest of the bank's page")
    func page() async throws {
        let stage = try ArchiveStage()
        let bytes = Array("<html><body><p>Insurance<script>x()</script></body></html>".utf8)
        let document = try await stage.archive.file(IncomingDocument(.bytes(bytes), bank: "b")).document
        #expect(document.sha256 != document.keptSHA256)
        #expect(try await stage.archive.file(IncomingDocument(.bytes(bytes), bank: "b")) == .known(document))
        #expect(try await stage.archive.verify().isClean)
        #expect(try await stage.archive.find("insurance").map(\.document) == [document])
    }
}
