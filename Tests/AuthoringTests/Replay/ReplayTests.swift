import Automation
import BankScript
import CurlClient
import DefaultBank
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Secrets
import Selectors
import TestCases
import Testing

@testable import Authoring

@Suite("Replaying a recording")
struct ReplayTests {
    private func replay(
        _ script: BankScript, _ archive: HTTPArchive, parameters: [String: ParameterValue] = RecordedRun.period
    ) async throws -> (FetchedDocument, ReplayTransport) {
        let transport = ReplayTransport(archive)
        let services = HostServices(
            credentials: TestCredentials(values: ["username": "anybody", "password": "anything"]),
            person: TestPerson(code: "000000"), downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: transport))
        }
        let document = try await runner.run(script, parameters: parameters)
        try FileManager.default.removeItem(at: document.file)
        return (document, transport)
    }

    @Test("runs a script offline against the archive of its own trace")
    func fromTrace() async throws {
        let run = try await RecordedRun.make()
        let text = run.trace.archive.json.compactText()
        let archive = try HTTPArchive(reading: text.utf8)
        let (document, transport) = try await replay(run.script, archive)
        #expect(document.bytes == ReplayedDocument.bytes.count)
        #expect(transport.used == archive.exchanges.count)
    }

    @Test("reports the differences from the nearest recorded request")
    func mismatch() async throws {
        let run = try await RecordedRun.make()
        await #expect {
            _ = try await replay(run.script, run.trace.archive, parameters: ["month": 1, "year": 2025])
        } throws: { error in
            let message = (error as? RunFailure)?.message ?? ""
            return message.contains("the recording has no such request")
                && message.contains("year is “2026”, not “2025”")
        }
    }

    @Test("tries each way of a search on each page")
    func waysOnLaterPages() async throws {
        var visit = ImaginedVisit()
        visit.get("/list", "<table><tr><td>Mar 2026</td></tr></table><a href=/list/2>Older</a>")
        visit.get("/list/2", "<table><tr><td>Jan 2026</td><td><a href=/1.pdf>PDF</a></td></tr></table>")
        visit.pdf("/1.pdf")
        let either = Locator.any(
            .row("{{ month.name }} {{ year }}"), .row("{{ month.abbreviation }} {{ year }}"))
        let script = BankScript("x", named: "X", at: "https://www.bank.example") {
            Open("/list")
            Search(for: either, next: .control("Older"), atMost: 3)
            Download("PDF")
        }
        let (_, transport) = try await replay(script, visit.archive)
        #expect(transport.used == 3)
    }

    @Test(
        "serves a script of two origins from a recording made at other hosts, which may name only one of them",
        arguments: [
            ("/login", ["http://127.0.0.1:1"], ["http://127.0.0.1:1", "https://id.bank.example"]),
            ("/login", ["http://127.0.0.1:1", "http://127.0.0.1:2"], ["http://127.0.0.1:1", "http://127.0.0.1:2"]),
            ("https://id.bank.example/", ["http://127.0.0.1:2"], ["https://www.bank.example", "http://127.0.0.1:2"]),
            (
                "https://id.bank.example/", ["http://127.0.0.1:2", "http://127.0.0.1:1"],
                ["http://127.0.0.1:1", "http://127.0.0.1:2"]
            ),
            ("/login", ["https://www.bank.example"], ["https://www.bank.example", "https://id.bank.example"]),
            (
                "/login", ["http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3"],
                ["https://www.bank.example", "https://id.bank.example"]
            ),
        ])
    func recordedElsewhere(opened: String, recorded: [String], origins: [String]) throws {
        let script = try BankScript(
            yaml: """
                bank: two
                name: Two
                origins: [https://www.bank.example, https://id.bank.example]
                steps:
                  - open: \(opened)
                  - download: PDF
                """, file: "two.yaml")
        var visit = ImaginedVisit()
        for origin in recorded { visit.get(origin + "/", "<title>Bank</title>") }
        #expect(script.served(asIn: visit.archive).origins == origins)
        let pair = RecordedPair(script, old: visit.archive, new: visit.archive, oldParameters: [:], newParameters: [:])
        if recorded.count <= origins.count {
            let paired = try pair.served(script, visit.archive)
            #expect(paired.origins == origins)
        } else {
            #expect(throws: MendRefusal.self) { try pair.served(script, visit.archive) }
        }
    }

    private static func get(_ url: String) -> RecordedRequest {
        RecordedRequest(method: "GET", url: url, body: nil, contentType: nil)
    }

    private static func post(_ body: String, _ type: String = "application/x-www-form-urlencoded") -> RecordedRequest {
        RecordedRequest(method: "POST", url: "https://b.example/a", body: Array(body.utf8), contentType: type)
    }

    @Test(
        "compares requests by method, address without volatile parts, and field names",
        arguments: [
            (get("https://b.example/a?x=1&_=17"), get("https://b.example/a?x=1&_=18"), true),
            (get("https://b.example/a?x=1"), get("https://b.example/a?x=2"), false),
            (get("https://b.example/a"), get("https://other.example/a"), false),
            (get("https://b.example/a?sid=1"), get("https://b.example/a?sid=2"), true),
            (
                get("https://b.example/3f2a9c0b7d6e4f1a8b5c2d9e/a"),
                get("https://b.example/9e8d7c6b5a4f3e2d1c0b9a8f/a"), true
            ),
            (
                post("x=1&y=2"), post("y=3&x=4"),
                true
            ),
            (post("x=1"), post("z=1"), false),
            (
                post(#"{"x":1}"#, "application/json"),
                post(#"{"x":"other"}"#, "application/json"), true
            ),
            (
                get("https://b.example/a?iban=DE89370400440532013000"),
                get("https://b.example/a?iban=%E2%80%A2%E2%80%A2%E2%80%A2"), true
            ),
        ])
    func same(left: RecordedRequest, right: RecordedRequest, isSame: Bool) {
        #expect((left == right) == isSame)
        #expect(left.differences(from: right).isEmpty == isSame)
    }

    private static let browsers = """
        {"log": {"version": "1.2", "entries": [
          {"startedDateTime": "2026-01-02T10:00:01.000Z", "time": 12.5,
           "request": {"method": "GET", "url": "https://b.example/b", "headers": []},
           "response": {"status": 200, "headers": [], "content": {"size": 2, "mimeType": "text/html", "text": "aGk=",
             "encoding": "base64"}}},
          {"startedDateTime": "2026-01-02T11:00:00.000+01:00", "time": 1,
           "request": {"method": "post", "url": "https://b.example/a", "headers": [{"name": ":authority", "value": "x"}],
             "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "n", "value": "v"}]}},
           "response": {"status": 302, "headers": [], "redirectURL": "/b", "content": {"size": 0, "mimeType": "x-unknown"}}}
        ]}}
        """

    @Test(
        "reads archives as browsers write them: out of order, base64, forms as parameters, redirects without a header")
    func fromBrowser() throws {
        let exchanges = try HTTPArchive(reading: Self.browsers.utf8).exchanges
        #expect(exchanges.map(\.url) == ["https://b.example/a", "https://b.example/b"])
        #expect(exchanges[0].method == "POST")
        #expect(exchanges[0].requestBody == Array("n=v".utf8))
        #expect(exchanges[0].isRedirect)
        #expect(exchanges[0].requestHeaders.isEmpty)
        #expect(exchanges[1].responseBody == Array("hi".utf8))
        #expect(exchanges[1].isPage)
    }

    @Test(
        "explains why a file is not an archive",
        arguments: [
            ("nonsense", "is not JSON"), ("{}", "no log.entries"),
            (#"{"log": {"entries": [{"request": {}}]}}"#, "entry 1 of the archive"),
        ])
    func noArchive(text: String, words: String) {
        #expect { try HTTPArchive(reading: text.utf8) } throws: { "\($0)".contains(words) }
    }

    @Test("tells two accounts' pages apart in an unmasked recording")
    func accounts() async throws {
        var visit = ImaginedVisit()
        visit.get("/a?account=40207188", "one")
        visit.get("/a?account=40209914", "two")
        let transport = ReplayTransport(visit.archive)
        let second = try await transport.send(HTTPRequest("GET", "https://www.bank.example/a?account=40209914"))
        let first = try await transport.send(HTTPRequest("GET", "https://www.bank.example/a?account=40207188"))
        #expect(String(decoding: first.body + second.body, as: UTF8.self) == "onetwo")
    }

    @Test("reads an archive's text as UTF-8, whatever its header says")
    func decoded() async throws {
        let text = Self.browsers.replacing(#""text": "aGk=","#, with: #""text": "<title>Öffnen</title>""#)
            .replacing(#""encoding": "base64""#, with: "")
            .replacing(
                #""status": 200, "headers": []"#,
                with: #""status": 200, "headers": [{"name": "Content-Type", "value": "text/html; charset=iso-8859-1"}]"#
            )
        let exchange = try #require(try HTTPArchive(reading: text.utf8).exchanges.last)
        let document = try Document.parse(
            try #require(exchange.responseBody), contentType: exchange.header("content-type"))
        #expect(document.title == "Öffnen")
    }

    @Test("reports a body that was not saved")
    func noBody() async throws {
        let text = Self.browsers.replacing(#""text": "aGk="#, with: #""comment": ""#)
        let transport = ReplayTransport(try HTTPArchive(reading: text.utf8))
        await #expect {
            _ = try await transport.send(HTTPRequest("GET", "https://b.example/b"))
        } throws: { "\($0)".contains("but not its body") }
    }
}
