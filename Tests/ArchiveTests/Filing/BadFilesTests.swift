import Archive
import FileKinds
import Foundation
import TestCases
import TestSupport
import Testing

@Suite("Bad files of each kind in the archive")
struct BadFilesTests {
    /// Everything in the archive's folder, the index and the lock included.
    private static func everything(in stage: ArchiveStage) -> [String] {
        (FileManager.default.enumerator(atPath: stage.folder.url.path)?.allObjects as? [String] ?? []).sorted()
    }

    /// Files a document and expects its refusal.
    private static func refusal(
        of content: IncomingDocument.Content, as kind: FileKind?, by stage: ArchiveStage
    ) async -> ArchiveError? {
        await #expect(throws: ArchiveError.self) {
            try await stage.archive.file(
                IncomingDocument(content, kind: kind, bank: "meridian", originalName: "../../etc/passwd"))
        }
    }

    @Test(
        "are refused with a sentence, whether the kind is named or found out, and leave nothing", arguments: BadFile.all
    )
    func refused(file: BadFile) async throws {
        let stage = try ArchiveStage()
        let good = try await stage.file("Premium of the insurance").document
        let before = Self.everything(in: stage)
        let refusal = try #require(await Self.refusal(of: .bytes(file.bytes), as: file.kind, by: stage))
        #expect(refusal.code == .refused, "\(refusal)")
        #expect(refusal.description.contains(file.words) && refusal.description.contains(" "), "\(refusal)")
        #expect(Self.everything(in: stage) == before && stage.paths == [good.path])
        #expect(try await stage.archive.documents().map(\.path) == [good.path])
        #expect(try await stage.archive.find("insurance").map(\.document.path) == [good.path])
        let report = try await stage.archive.verify()
        #expect(report.documents == 1 && report.missing.isEmpty && report.changed.isEmpty && report.extra.isEmpty)
    }

    @Test("a file that has grown to 4 GB is refused by its size, and is not read")
    func huge() async throws {
        let stage = try ArchiveStage()
        let folder = try TemporaryFolder()
        let file = folder.appending("statement.csv")
        try Data("a;b\n1;2\n".utf8).write(to: file)
        #expect(truncate(file.path, 4 << 30) == 0)
        let before = Self.everything(in: stage)
        let refusal = try #require(await Self.refusal(of: .file(file), as: .csv, by: stage))
        #expect(refusal.code == .refused && refusal.description.contains("larger than 67108864 bytes"), "\(refusal)")
        #expect(Self.everything(in: stage) == before && stage.paths.isEmpty)
    }

    @Test("a name of the bank's that leads out of the folder is kept as text and never used as a path")
    func names() async throws {
        let stage = try ArchiveStage()
        let filed = try await stage.archive.file(
            IncomingDocument(
                .bytes(ArchiveStage.csv("x")), bank: "meridian", account: "Everyday",
                originalName: "../../../../tmp/escaped.csv")
        ).document
        #expect(stage.paths == [filed.path] && !filed.path.contains(".."))
        #expect(filed.originalName == "../../../../tmp/escaped.csv")
    }
}
