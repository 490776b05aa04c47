import Clocks
import Foundation
import TestSupport
import Testing

@testable import Archive

@Suite("Verifying and rebuilding an archive")
struct VerificationTests {
    @Test("missing, changed, extra and unreadable files are named, and nothing is changed")
    func differences() async throws {
        let stage = try ArchiveStage()
        var documents: [ArchivedDocument] = []
        for number in 1...5 { documents.append(try await stage.file("text \(number)", "2025-0\(number)").document) }
        #expect(try await stage.archive.verify().isClean)
        let files = documents.map { stage.folder.appending($0.path) }
        try FileManager.default.removeItem(at: files[0])
        try Data("changed".utf8).write(to: files[1])
        try Data("extra".utf8).write(to: stage.folder.appending("extra.txt"))
        try FileManager.default.removeItem(at: files[2])
        try FileManager.default.createSymbolicLink(at: files[2], withDestinationURL: files[3])
        let result = try await stage.archive.verify()
        #expect(result.missing == [documents[0]])
        #expect(result.changed == [documents[1]])
        #expect(result.extra == ["extra.txt"])
        #expect(result.unreadable.map(\.document) == [documents[2]])
        #expect(result.documents == 5)
        #expect(try await stage.archive.verify() == result)
    }

    @Test("a document whose file was moved into another system stays known")
    func moved() async throws {
        let stage = try ArchiveStage()
        let document = try await stage.file("a").document
        try FileManager.default.removeItem(at: stage.folder.appending(document.path))
        #expect(try await stage.file("a") == .known(document))
        #expect(stage.paths.isEmpty)
    }

    @Test("nothing of a document that was forgotten is left in the index's files")
    func forgotten() async throws {
        let stage = try ArchiveStage()
        try await stage.file("another document that stays")
        let document = try await stage.file("marmalade subscription", account: "canary-account").document
        let folder = stage.folder.appending(".countersign")
        func isLeft(_ text: String) throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { name in
                try Data(contentsOf: folder.appending(path: name)).range(of: Data(text.utf8)) != nil
            }
        }
        let texts = ["marmalade", "canary-account", document.sha256]
        for text in texts { #expect(try isLeft(text), "\(text) is there before") }
        try await stage.archive.forget(document, deletingFile: true)
        for text in texts { #expect(try !isLeft(text), "\(text)") }
        #expect(try await stage.archive.find("stays").count == 1)
    }

    @Test("an index that was lost is made again from the files")
    func lost() async throws {
        let stage = try ArchiveStage()
        try await stage.file("Insurance", "2025-03")
        try await stage.file("Salary", "2025-03")
        try await stage.file("Contract", account: "", nil)
        let before = try await stage.archive.documents()
        stage.archive.close()
        try FileManager.default.removeItem(at: stage.folder.appending(".countersign"))
        let again = try stage.opened()
        #expect(try await again.documents().isEmpty)
        #expect(try await again.rebuild() == ArchiveRebuild(added: 3))
        let after = try await again.documents()
        #expect(after.map(\.path) == before.map(\.path))
        #expect(after.map(\.period) == before.map(\.period))
        #expect(after.map(\.account) == before.map(\.account))
        #expect(after.map(\.sha256) == before.map(\.sha256))
        #expect(try await again.find("salary").count == 1)
        #expect(try await again.verify().isClean)
    }

    @Test("rebuild follows files that moved, names duplicates and strangers, and removes what a killed filer left")
    func rebuild() async throws {
        let stage = try ArchiveStage()
        let document = try await stage.file("a").document
        let other = try await stage.file("b", "2025-04").document
        let files = FileManager.default
        try files.moveItem(at: stage.folder.appending(document.path), to: stage.folder.appending("taxes.csv"))
        try files.copyItem(at: stage.folder.appending(other.path), to: stage.folder.appending("copy.csv"))
        try Data("\u{7F}ELF".utf8).write(to: stage.folder.appending("program"))
        try Data("half".utf8).write(to: stage.folder.appending("meridian/.countersign-1.tmp"))
        let result = try await stage.archive.rebuild()
        #expect(result.moved == 1)
        #expect(result.duplicates == ["copy.csv"])
        #expect(result.refused.map(\.path) == ["program"])
        #expect(try await stage.archive.document(document.id).path == "taxes.csv")
        #expect(!files.fileExists(atPath: stage.folder.appending("meridian/.countersign-1.tmp").path))
        #expect(try await stage.archive.verify().extra == ["copy.csv", "program"])
    }
}
