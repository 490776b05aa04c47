import Clocks
import FinTS
import Foundation
import Testing

@Suite("Jobs")
struct JobTests {
    private static let account = BankAccount(
        iban: "DE02120300000000202051", bic: "BYLADEM1001", number: "202051", subAccount: "", bankCode: "12030000")
    private static let days: ClosedRange<CalendarDate> = "2026-01-01"..."2026-01-31"

    @Test(
        "each version has its columns",
        arguments: [
            (Job.accounts, 1, nil, "HKSPA:0:1'"),
            (.accounts, 2, "x", "HKSPA:0:2++" + "+x'"),
            (.balance(account), 6, nil, "HKSAL:0:6+202051::280:12030000+N'"),
            (.balance(account), 7, nil, "HKSAL:0:7+DE02120300000000202051:BYLADEM1001:202051::280:12030000+N'"),
            (
                .statementList(account), 2, "p?",
                "HKKAU:0:2+DE02120300000000202051:BYLADEM1001:202051::280:12030000++p??'"
            ),
            (
                .pdfStatement(account, .init(number: 3, year: 2026)), 2, nil,
                "HKEKP:0:2+DE02120300000000202051:BYLADEM1001:202051::280:12030000+3+2026'"
            ),
            (.pdfStatement(account, nil), 1, nil, "HKEKP:0:1+DE02120300000000202051:BYLADEM1001:202051::280:12030000'"),
            (.statement(account, .init(number: 3, year: 2026)), 3, nil, "HKEKA:0:3+202051::280:12030000+3+3+2026'"),
            (
                .camt(account, days, formats: ["urn:iso:std"]), 1, nil,
                "HKCAZ:0:1+DE02120300000000202051:BYLADEM1001:202051::280:12030000+urn?:iso?:std+N+20260101+20260131'"
            ),
            (.mt940(account, nil), 7, nil, "HKKAZ:0:7+DE02120300000000202051:BYLADEM1001:202051::280:12030000+N'"),
            (.mt940(account, days), 6, "t", "HKKAZ:0:6+202051::280:12030000+N+20260101+20260131++t'"),
        ] as [(Job, Int, String?, String)])
    func segments(_ job: Job, _ version: Int, _ touchDown: String?, _ text: String) throws {
        let segment = job.segment(version: version, touchDown: touchDown, national: true)
        #expect(Latin1.text(try SegmentWriter.bytes(of: [segment])) == text)
        #expect(job.versions.contains(version))
    }

    @Test("leaves out the national form where the bank takes IBAN and BIC alone")
    func international() throws {
        let segment = Job.mt940(Self.account, nil).segment(version: 7, touchDown: nil, national: false)
        #expect(segment.group(1).map(\.text) == ["DE02120300000000202051", "BYLADEM1001"])
    }

    @Test("no line of the target names a segment that does more than read")
    func readsOnly() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Script/FinTS")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        try #require(files.count > 20)
        var names: Set<String> = []
        for file in files {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: /\b[A-Z]K[A-Z]{3}\b/) {
                names.insert(String(match.output))
            }
        }
        let jobs = ["HKSPA", "HKSAL", "HKKAU", "HKEKP", "HKEKA", "HKCAZ", "HKKAZ"]
        let dialog = ["HKIDN", "HKVVB", "HKSYN", "HKTAN", "HKTAB", "HKEND"]
        #expect(names == Set(jobs + dialog))
    }

    @Test("reads a statement in each version")
    func statements() throws {
        func statement(_ text: String) throws -> SentStatement? {
            try JobResults(try SegmentReader.segments(of: Array(text.utf8))).statements().first
        }
        let plain = try #require(try statement("HIEKP:3:1:3+@4@%PDF'"))
        #expect(plain.bytes == Array("%PDF".utf8) && plain.days == nil && plain.number == nil)
        let full = try #require(try statement("HIEKP:3:2:3+@4@%PDF+20260101:20260331+20260402+2026+1+DE02'"))
        #expect(full.days == "2026-01-01"..."2026-03-31" && full.created == "2026-04-02" && full.iban == "DE02")
        #expect(full.number == .init(number: 1, year: 2026))
        let old = try #require(try statement("HIEKA:3:3:3+3+20260101+@4@%PDF++++DE02'"))
        #expect(old.days == "2026-01-01"..."2026-01-01" && old.iban == "DE02")
        let base64 = try #require(
            try statement("HIEKA:3:5:3+3+20260101:20260131+20260201+2026+1+JVBERi0xLjQ=++++DE02'"))
        #expect(base64.bytes == Array("%PDF-1.4".utf8) && base64.iban == "DE02")
        for text in ["HIEKP:3:2:3+@4@%PDF+20260201:20260101'", "HIEKP:3:2:3'", "HIEKP:3:9:3+@4@%PDF'"] {
            #expect(throws: FinTSFailure.self) { try statement(text) }
        }
    }
}
