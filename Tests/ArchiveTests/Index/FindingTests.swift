import Clocks
import FileKinds
import Foundation
import TestSupport
import Testing

@testable import Archive

@Suite("Finding documents")
struct FindingTests {
    private func stage() async throws -> ArchiveStage {
        let stage = try ArchiveStage()
        try await stage.file("Insurance premium Zürich", "2025-03")
        try await stage.file("Salary of March", account: "savings", "2025-04")
        try await stage.file("Insurance of the car", bank: "other", "2024-12")
        return stage
    }

    private func found(_ stage: ArchiveStage, _ text: String, _ filter: DocumentFilter = DocumentFilter()) async throws
        -> [String]
    {
        try await stage.archive.find(text, filter).map { $0.document.period?.description ?? "-" }
    }

    @Test("all words have to occur; capitals and accents do not matter; the last filed comes first")
    func words() async throws {
        let stage = try await stage()
        #expect(try await found(stage, "insurance") == ["2024-12", "2025-03"])
        #expect(try await found(stage, "insurance ZURICH") == ["2025-03"])
        #expect(try await found(stage, "insur") == [])
        #expect(try await found(stage, "insur*") == ["2024-12", "2025-03"])
        #expect(try await found(stage, "\"premium zürich\"") == ["2025-03"])
        #expect(try await found(stage, "\"zürich premium\"") == [])
        #expect(try await stage.archive.find("salary")[0].excerpt.contains("[Salary] of March"))
    }

    @Test("names count beside the text: bank, account, month")
    func names() async throws {
        let stage = try await stage()
        #expect(try await found(stage, "savings") == ["2025-04"])
        #expect(try await found(stage, "2024-12") == ["2024-12"])
    }

    @Test("a filter narrows by bank, account, kind and months")
    func filters() async throws {
        let stage = try await stage()
        #expect(try await found(stage, "insurance", DocumentFilter(bank: "other")) == ["2024-12"])
        #expect(try await found(stage, "of", DocumentFilter(account: "savings")) == ["2025-04"])
        #expect(try await found(stage, "insurance", DocumentFilter(from: MonthYear("2025-01"))) == ["2025-03"])
        #expect(try await found(stage, "insurance", DocumentFilter(to: MonthYear("2025-01"))) == ["2024-12"])
        #expect(try await found(stage, "insurance", DocumentFilter(kind: .pdf)) == [])
        #expect(try await found(stage, "insurance", DocumentFilter(limit: 1)) == ["2024-12"])
        #expect(try await stage.archive.documents(DocumentFilter(bank: "meridian")).count == 2)
    }

    @Test(
        "words of the index's own language are words",
        arguments: [
            "AND", "insurance AND", "NOT salary", "a NEAR(b)", "text: x", "^insurance", "-insurance", "(a", "a'b",
            "\"open", "{a}", "a\0b",
        ])
    func syntax(_ text: String) async throws {
        // The stage, and with it the archive's folder, stays until the answer is there.
        let stage = try await stage()
        _ = try await found(stage, text)
    }

    @Test("a text without words is refused", arguments: ["", " ", "\"\"", "* -", "()"])
    func empty(_ text: String) async throws {
        let stage = try await stage()
        await #expect(throws: ArchiveError.self) { try await stage.archive.find(text) }
    }

    @Test("an id is the beginning of a digest, and a wrong one is refused")
    func ids() async throws {
        let stage = try await stage()
        let document = try await stage.archive.documents()[0]
        #expect(try await stage.archive.document(document.id) == document)
        #expect(try await stage.archive.document(document.sha256) == document)
        for wrong in ["", "zzzz", "0", "%", String(repeating: "0", count: 64)] {
            await #expect(throws: ArchiveError.self) { try await stage.archive.document(wrong) }
        }
    }

    @Test("a forgotten document is found no more and can be filed again; its file stays unless asked")
    func forget() async throws {
        let stage = try await stage()
        let document = try await stage.archive.find("salary")[0].document
        try await stage.archive.forget(document)
        #expect(try await found(stage, "salary") == [])
        #expect(stage.paths.contains(document.path))
        let again = try await stage.file("Salary of March", account: "savings", "2025-04").document
        #expect(again.path == document.path)
        try await stage.archive.forget(again, deletingFile: true)
        #expect(!stage.paths.contains(document.path))
    }

    @Test("a document's file is given only as it was filed")
    func unchanged() async throws {
        let stage = try await stage()
        let document = try await stage.archive.find("salary")[0].document
        let file = stage.folder.appending(document.path)
        #expect(try await stage.archive.unchangedFile(of: document)?.path == file.path)
        try Data("new".utf8).write(to: file)
        #expect(try await stage.archive.unchangedFile(of: document) == nil)
        try FileManager.default.removeItem(at: file)
        #expect(try await stage.archive.unchangedFile(of: document) == nil)
    }

    @Test("a file that was changed is not removed with its document")
    func forgetChanged() async throws {
        let stage = try await stage()
        let document = try await stage.archive.find("salary")[0].document
        try Data("new".utf8).write(to: stage.folder.appending(document.path))
        await #expect(throws: ArchiveError.self) { try await stage.archive.forget(document, deletingFile: true) }
        #expect(stage.paths.contains(document.path))
        #expect(try await found(stage, "salary") == ["2025-04"])
    }

    @Test("a damaged index is refused with what to do")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let hidden = folder.appending(".countersign")
        try FileManager.default.createDirectory(at: hidden, withIntermediateDirectories: true)
        try Data("not a database, but long enough to be read as one".utf8).write(
            to: hidden.appending(path: "index.sqlite"))
        let error = #expect(throws: ArchiveError.self) { try DocumentArchive(root: folder.url) }
        #expect(error?.message.contains("rebuild") == true)
    }
}
