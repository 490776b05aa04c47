import BankScript
import CurlClient
import Foundation
import Testing

@testable import Automation

@Suite("A document that comes another way")
struct DownloadWaysTests {
    private static let pdf = "%PDF-1.4 a statement\nstartxref\n0\n%%EOF\n"
    private static var inline: String { "data:application/pdf;base64," + Data(pdf.utf8).base64EncodedString() }

    @Test(
        "is followed to where a browser would go without a click",
        arguments: [
            "<meta http-equiv=refresh content='0;url=/2.pdf'>Your download starts…",
            "<embed src=/2.pdf type=application/pdf>",
            "<object data=/2.pdf type=application/pdf><a href=/2.pdf>Open</a></object>",
            "<object data=/2.pdf><embed src=/2.pdf></object>", "<iframe src=/2.pdf#toolbar=0></iframe>",
            "<h1>Statement</h1><iframe src='/document?id=7'></iframe>",
            "<iframe src='/viewer.html?file=%2F2.pdf'></iframe>",
            "<iframe src=/ad></iframe><embed src=/2.pdf>", "<h1>Statement</h1><iframe src=/viewer></iframe>",
            "<body onload='document.forms[0].submit()'><form method=post action=/2.pdf><input type=hidden name=a value=b></form>",
            "<embed src='\(inline)'>",
        ])
    func ways(page: String) async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": .page("<a href=/1>PDF</a>")
            case "GET /1": .page(page)
            case "GET /viewer": .page("<embed src=/2.pdf>")
            case "GET /2.pdf", "POST /2.pdf", "GET /document?id=7": .pdf(Self.pdf)
            default: .page("<p>Something else")
            }
        }
        let run = try await StagedRun.perform("steps:\n  - open: /\n  - download: PDF\n", at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(run.document?.bytes == Self.pdf.utf8.count)
        #expect(run.files.count == 1)
    }

    @Test("is followed to by the answer's Refresh header, whatever the answer shows", arguments: ["", "Please wait"])
    func refreshHeader(text: String) async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": return .page("<a href=/1>PDF</a>")
            case "GET /1":
                return .init(headers: [HTTPHeader("Refresh", "0; url=/2.pdf")], body: Array(text.utf8))
            default: return .pdf(Self.pdf)
            }
        }
        let run = try await StagedRun.perform("steps:\n  - open: /\n  - download: PDF\n", at: bank)
        #expect(run.document?.bytes == Self.pdf.utf8.count, "\(run.failure?.description ?? "")")
    }

    @Test("is in its own address")
    func address() async throws {
        let bank = StagedBank { line, _ in
            line == "GET /"
                ? .page("<a download=s.pdf href='\(Self.inline)'>PDF</a>") : .json(#"{"url":"\#(Self.inline)"}"#)
        }
        for steps in [
            "  - download: PDF\n",
            "  - request: { GET: /doc }\n  - capture: { u: { json: $.url } }\n  - download: { open: \"{{ u }}\" }\n",
        ] {
            let run = try await StagedRun.perform("steps:\n  - open: /\n" + steps, at: bank)
            #expect(run.failure == nil, "\(run.failure?.description ?? "")")
            #expect(run.document?.bytes == Self.pdf.utf8.count)
        }
    }

    @Test("of a kind that is not asked for is passed over, and no progress tells of it", arguments: [1, 2])
    func unasked(sideBySide: Int) async throws {
        let bank = StagedBank { line, _ in
            line == "GET /" ? .page("<a href=/1>PDF</a><a href=/2>CSV</a>") : .pdf(Self.pdf)
        }
        let script = """
            \(sideBySide > 1 ? "at once: \(sideBySide)" : "")
            steps:
              - open: /
              - download: { link: CSV, as: csv }
              - download: PDF
            """
        let run = try await StagedRun.perform(script, at: bank)
        #expect(run.failure == nil && run.document?.kind == .pdf, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["GET /", "GET /1"])
        #expect(
            run.steps.count { $0.contains("download") } == 1 && !run.steps.contains { $0.contains("CSV") },
            "\(run.steps)")
    }

    @Test(
        "is not made up: the page that came gives the reason",
        arguments: [
            "<h1>Your session has ended</h1><iframe src=/ad></iframe>", "<h1>Your session has ended</h1>",
            "<h1>Your session has ended</h1><iframe src=https://ads.example/x></iframe>",
            "<h1>Your session has ended</h1><embed src=/a><embed src=/b>",
        ])
    func noDocument(page: String) async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": .page("<a href=/1>PDF</a>")
            case "GET /1": .page(page)
            default: .page("<h1>Buy something</h1>")
            }
        }
        let run = try await StagedRun.perform("steps:\n  - open: /\n  - download: PDF\n", at: bank)
        #expect(run.failure?.reason == .notAPDF)
        #expect(run.failure?.bankWords == "Your session has ended")
        #expect(run.files.isEmpty)
    }

    @Test("is the answer to a form that a step fills in and submits")
    func submitted() async throws {
        let bank = StagedBank { line, body in
            switch line {
            case "GET /":
                .page(
                    "<form id=documents method=post action=/show><input type=hidden name=id><input name=t value=7></form>"
                )
            default: body == "id=3%2F2026&t=7" ? .pdf(Self.pdf) : .page("<h1>No such document: \(body)</h1>")
            }
        }
        let script =
            "steps:\n  - open: /\n  - download: { submit: { form: \"#documents\", with: { id: \"{{ month }}/2026\" } } }\n"
        let run = try await StagedRun.perform(script, at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(run.document?.bytes == Self.pdf.utf8.count)
        #expect(bank.lines == ["GET /", "POST /show"])
    }

    @Test(
        "is a text in an answer, in base64 of any kind",
        arguments: [
            Data(pdf.utf8).base64EncodedString(), Data(pdf.utf8).base64EncodedString(options: .lineLength64Characters),
            inline,
            Data(pdf.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: ""),
        ])
    func encoded(text: String) async throws {
        let quoted = text.replacing("\r\n", with: "\\r\\n")
        let bank = StagedBank { _, _ in .json("{\"doc\":{\"content\":\"\(quoted)\"}}") }
        let run = try await StagedRun.perform(
            "steps:\n  - request: { GET: /doc }\n  - download: { json: $.doc.content, decode: base64 }\n", at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(run.document?.bytes == Self.pdf.utf8.count)
        #expect(run.steps.last == "✓ download $.doc.content of the answer, out of base64")
    }

    @Test(
        "in an answer is refused with the reason",
        arguments: [
            (#"{"doc":{}}"#, "finds 0 values"), (#"{"doc":{"content":"*** no ***"}}"#, "is not base64"),
            (#"{"doc":{"content":""}}"#, "is not base64"), ("<html>", "is not JSON"),
            (#"{"doc":{"content":"aGVsbG8="}}"#, "the bank sent no PDF"),
        ])
    func notEncoded(answer: String, words: String) async throws {
        let bank = StagedBank { _, _ in .json(answer) }
        let run = try await StagedRun.perform(
            "steps:\n  - request: { GET: /doc }\n  - download: { json: $.doc.content, decode: base64 }\n", at: bank)
        #expect(run.failure?.code == .pdfDownloadFailed)
        #expect(run.failure?.message.contains(words) == true, "\(run.failure?.message ?? "")")
        #expect(run.files.isEmpty)
    }

    @Test("goes to the script's origins alone")
    func origins() async throws {
        let bank = StagedBank { line, _ in
            line == "GET /" ? .page("<a href=/1>PDF</a>") : .page("<embed src=https://cdn.example/2.pdf>")
        }
        let run = try await StagedRun.perform("steps:\n  - open: /\n  - download: PDF\n", at: bank)
        #expect(run.failure?.reason == .foreignOrigin)
        #expect(run.failure?.message.contains("https://cdn.example") == true)
        #expect(bank.lines == ["GET /", "GET /1"])
    }

    @Test("ends in the page that an interruption knows by its path")
    func interruption() async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": .page("<a href=/1>PDF</a>")
            case "GET /1": .redirect("/login?from=1")
            default: .page("<h1>Hello</h1>")
            }
        }
        let run = try await StagedRun.perform(
            """
            interruptions:
              - { when: { path: /login }, fail: NAVIGATION_FAILED, reason: session_expired }
            steps:
              - open: /
              - download: PDF
            """, at: bank)
        #expect(run.failure?.reason == .sessionExpired)
    }
}
