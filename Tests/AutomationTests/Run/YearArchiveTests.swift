import Automation
import BankScript
import Clocks
import CurlClient
import Foundation
import HTMLAutomation
import Messages
import Synchronization
import TestCases
import TestSupport
import Testing

@testable import MockBank

@Suite("Archives with the documents of several months")
struct YearArchiveTests {
    private struct Visit {
        var outcomes: [String] = []
        var failure: RunFailure?
        var archives = 0
        var filesLeft: [String] = []
    }

    private static let pdf = Array("%PDF-1.4 a statement\nstartxref\n0\n%%EOF\n".utf8)

    static func camt(booked day: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id>
            <Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>
            <Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>\
            <BookgDt><Dt>\(day)</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>
            """.utf8)
    }

    /// Fetches months of 2026 from a bank that has them in one archive.
    ///
    /// - Parameter afterwards: steps after the download.
    private func fetch(
        _ months: ClosedRange<Int>, _ kinds: [DocumentKind], from files: [(String, [UInt8])],
        afterwards: String = ""
    ) async throws -> Visit {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": .page("welcome")
            case "GET /2026.zip": .init(type: "application/zip", body: ZIPArchive.bytes(files))
            default: .page("Nothing here", status: 404)
            }
        }
        let script = try BankScript(
            yaml: StagedRun.head + """
                steps:
                  - open: /
                for each period:
                  - download: { open: "/{{ year }}.zip", as: zip, holding: [camt, pdf], named: "{{ year }}-{{ month | pad }}" }
                \(afterwards)
                """, file: "year.yaml")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let services = HostServices(
            credentials: TestCredentials(values: [:]), person: TestPerson(code: nil), downloads: FolderSink(folder.url))
        let runner = ScriptRunner(services: services, limit: .seconds(60)) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: bank))
        }
        let places = try #require(
            DocumentSelection(periods: months.compactMap { MonthYear(month: $0, year: 2026) }, kinds: kinds)
        ).places
        let outcomes = Mutex<[String]>([])
        var visit = Visit()
        do throws(RunFailure) {
            try await runner.run(script, fetching: places) { (place, result) throws(RunFailure) in
                let outcome =
                    switch result {
                    case .success(let document): "here, \(document.bytes) bytes"
                    case .failure(let failure): failure.message
                    }
                if case .success(let document) = result { try? FileManager.default.removeItem(at: document.file) }
                outcomes.withLock { $0.append("\(place): \(outcome)") }
            }
        } catch {
            visit.failure = error
        }
        visit.outcomes = outcomes.withLock { $0 }
        visit.archives = bank.lines.count { $0 == "GET /2026.zip" }
        visit.filesLeft = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        return visit
    }

    @Test("each month gets its own files from one download, and files of other names stay packed")
    func months() async throws {
        let files = [
            ("readme.txt", Array("no document".utf8)), ("2026-01.pdf", Self.pdf + [0x0A]), ("2026-02.pdf", Self.pdf),
            ("2026-02.xml", Self.camt(booked: "2026-02-03")), ("2026-011.pdf", Array("not this one".utf8)),
        ]
        let visit = try await fetch(1...2, [.pdf], from: files)
        #expect(visit.failure == nil)
        #expect(
            visit.outcomes == [
                "2026-01 pdf: here, \(Self.pdf.count + 1) bytes", "2026-02 pdf: here, \(Self.pdf.count) bytes",
            ])
        #expect(visit.archives == 1 && visit.filesLeft.isEmpty, "\(visit)")
    }

    @Test("a month between others is missing without a second download; one after them may be in another archive")
    func gaps() async throws {
        let files = [("2026-01.pdf", Self.pdf), ("2026-03.pdf", Self.pdf)]
        let visit = try await fetch(1...4, [.pdf], from: files)
        #expect(visit.failure == nil)
        let missing = "the archive holds 0 files of the kind pdf for"
        #expect(
            visit.outcomes.map { $0.hasSuffix("bytes") ? "here" : $0 } == [
                "here", "2026-02 pdf: \(missing) 2026-02, and one is needed", "here",
                "2026-04 pdf: \(missing) 2026-04, and one is needed",
            ])
        #expect(visit.archives == 2, "one for January to March, and one more for April")
        #expect(visit.filesLeft.isEmpty)
    }

    @Test("a bad file costs its own document and no other")
    func badParts() async throws {
        let files = [
            ("2026-01.pdf", Self.pdf), ("2026-02.pdf", Array(Self.pdf.prefix(20))), ("2026-03.pdf", Self.pdf),
            ("copy of 2026-03.pdf", Self.pdf), ("2026-01.xml", Self.camt(booked: "2026-01-15")),
            ("2026-02.xml", Self.camt(booked: "2026-01-20")), ("2026-03.xml", Array("MZ a program".utf8)),
        ]
        let visit = try await fetch(1...3, [.camt, .pdf], from: files)
        #expect(visit.failure == nil)
        #expect(visit.outcomes.count == 6 && visit.archives == 1, "\(visit)")
        let words = visit.outcomes.map { $0.hasSuffix("bytes") ? "here" : $0 }
        #expect(words[0] == "here" && words[1] == "here")
        #expect(
            words[2]
                == "2026-02 camt: the archive's file “2026-02.xml” has no booking of 2026-02; check “named” in the script"
        )
        #expect(words[3].contains("the PDF is cut off or damaged"), "\(words[3])")
        #expect(words[4].contains("the file is a Windows program"), "\(words[4])")
        #expect(words[5].contains("holds 2 files of the kind pdf for 2026-03, and one is needed"), "\(words[5])")
        #expect(visit.filesLeft.isEmpty)
    }

    @Test(
        "an archive with a path out of its folder, or with a name twice, brings nothing and leaves nothing",
        arguments: [
            ([("2026-01.pdf", pdf), ("../2026-02.pdf", pdf)], "has a path that leads out of its folder"),
            ([("2026-01.pdf", pdf), ("/etc/2026-02.pdf", pdf)], "has a path that leads out of its folder"),
            ([("2026-01.pdf", pdf), ("2026-01.PDF", pdf)], "has two entries"),
        ])
    func refused(files: [(String, [UInt8])], words: String) async throws {
        let visit = try await fetch(1...2, [.pdf], from: files)
        #expect(visit.failure == nil)
        #expect(visit.outcomes.count == 2 && visit.outcomes.allSatisfy { $0.contains(words) }, "\(visit)")
        #expect(visit.filesLeft.isEmpty)
    }

    @Test("what an archive brought for later months is handed over when the run ends before their turns")
    func ended() async throws {
        let files = (1...3).map { ("2026-0\($0).pdf", Self.pdf) }
        let visit = try await fetch(1...3, [.pdf], from: files, afterwards: "  - open: /nowhere")
        #expect(visit.failure?.message.contains("the bank answered 404") == true)
        #expect(visit.outcomes.count == 3 && visit.outcomes.allSatisfy { $0.hasSuffix("bytes") }, "\(visit)")
        #expect(visit.archives == 1 && visit.filesLeft.isEmpty)
    }
}
