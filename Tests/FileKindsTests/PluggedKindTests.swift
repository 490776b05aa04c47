import Machine
import Messages
import Testing

@testable import FileKinds

@Suite("A kind of files that is plugged in")
struct PluggedKindTests {
    private static func kind(
        _ name: String = "mine", _ type: String = "application/vnd.mine", _ ending: String = "mine"
    ) -> FileKind {
        FileKind(
            DocumentKind(name, mediaType: type, fileExtension: ending), words: "a file of mine",
            isMarked: { $0.text.hasPrefix("MINE") }, check: { _ throws(FileRefusal) in [] })
    }

    @Test(
        "has a type and an ending that no other kind has",
        arguments: [
            (kind("mine", "text/csv"), "has the media type “text/csv”, which belongs to csv"),
            (kind("mine", "application/zip"), "which belongs to zip"),
            (kind("mine", "Application/Mine"), "which is not one"), (kind("mine", "mine"), "which is not one"),
            (kind("mine", "text/mine; charset=utf-8"), "which is not one"),
            (kind("mine", "text/mine\r\nX: y"), "which is not one"),
            (kind("mine", "text/mine", "xml"), "has the ending “xml”, which belongs to camt"),
            (kind("mine", "text/mine", "zip"), "which belongs to zip"),
            (kind("mine", "text/mine", ""), "which documents cannot have"),
            (kind("mine", "text/mine", "../a"), "which documents cannot have"),
            (kind("mine", "text/mine", "part"), "which documents cannot have"),
            (kind("mine", "text/mine", "abcdefghijk"), "which documents cannot have"),
            (kind("transactions"), "is a word of the language of scripts"),
        ])
    func refused(_ kind: FileKind, _ words: String) {
        let problem = kind.problem(beside: FileKind.standard)
        #expect(problem?.contains(words) == true, "\(problem ?? "")")
    }

    @Test("may stand beside the others, and not beside itself")
    func accepted() {
        let mine = Self.kind()
        #expect(mine.problem(beside: FileKind.standard) == nil)
        let other = Self.kind("other", "application/vnd.other", "mine")
        #expect(other.problem(beside: FileKind.standard + [mine])?.contains("which belongs to mine") == true)
    }

    @Test("is counted only where it is plugged in")
    func unplugged() {
        #expect(FileKind(rawValue: "mine") == nil && DocumentKind(rawValue: "mine") == nil)
        #expect(DocumentKind.allCases == DocumentKind.standard)
        let kept = FileKind.kept("mine")
        #expect(kept.rawValue == "mine" && kept.mediaType == "application/octet-stream" && !kept.hasTransactions)
        #expect(FileKind.kept("csv").mediaType == "text/csv")
    }

    @Test("takes no file from a kind that ships, whatever its mark says, and comes before JSON and CSV")
    func greedy() async {
        await #expect(processExitsWith: .success) {
            let greedy = FileKind(
                DocumentKind("greedy", mediaType: "text/greedy", fileExtension: "greedy"), words: "a greedy file",
                isMarked: { _ in true }, check: { _ throws(FileRefusal) in [] },
                transactions: { _ throws(ReadingError) in [] })
            FileKind.plug([greedy])
            for (kind, text) in GoodFile.texts {
                let checked = try FileCheck.check(Array(text.utf8), as: kind)
                #expect(checked.kind == kind)
            }
            let (pdf, json) = (Array(GoodFile.pdf.utf8), Array("{}".utf8))
            let kinds = [try FileCheck.check(pdf).kind, try FileCheck.check(json).kind]
            #expect(kinds == [.pdf, greedy])
        }
    }

    @Test("whose reader gives nonsense has no transactions")
    func nonsense() async {
        await #expect(processExitsWith: .success) {
            let odd = FileKind(
                DocumentKind("odd", mediaType: "text/odd", fileExtension: "odd"), words: "an odd file",
                isMarked: { $0.text.hasPrefix("ODD") }, check: { _ throws(FileRefusal) in [] },
                transactions: { _ throws(ReadingError) in [Statement(account: "1", currency: "\u{202E}EUR")] })
            FileKind.plug([odd])
            let error = #expect(throws: ReadingError.self) { try TransactionFile.read(Array("ODD".utf8)) }
            #expect(error?.code == .currency)
        }
    }

    #if os(Linux)
        @Test("whose reader ends its process is named")
        func crashed() async {
            await #expect(processExitsWith: .success) {
                let mine = PluggedKindTests.kind()
                FileKind.plug([mine])
                let reader = ConfinedReader(for: FileTask.self, command: ["/bin/sh", "-c", "exit 3"])
                let error = #expect(throws: FileRefusal.self) {
                    try ForeignFiles(reader).check(Array("MINE".utf8), as: mine)
                }
                #expect(error?.code == .unread)
                #expect(
                    error?.message.hasPrefix("the file kind “mine” of FileKindsTests failed: the confined reader")
                        == true, "\(error?.message ?? "")")
            }
        }
    #endif
}
