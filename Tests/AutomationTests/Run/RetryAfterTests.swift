import BankScript
import CurlClient
import Foundation
import Testing

@testable import Automation

@Suite("A server that asks to wait")
struct RetryAfterTests {
    @Test(
        "says for how long",
        arguments: [
            ("1", 1), (" 120 ", 120), ("Sun, 06 Nov 1994 08:49:37 GMT", 37), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("soon", nil),
            ("-1", nil), ("", nil),
        ] as [(String, Int?)])
    func field(text: String, seconds: Int?) {
        // 08:49:00 on that day.
        let now = Date(timeIntervalSince1970: 784_111_740)
        #expect(RetryAfter(text, now: now)?.duration == seconds.map { .seconds($0) })
    }

    private static func slow(_ seconds: String, times: Int, _ answer: StagedBank.Answer) -> StagedBank {
        let counter = Counter()
        return StagedBank { line, _ in
            guard line == "GET /1", counter.next() <= times else {
                return line == "GET /1" ? answer : .page("<a href=/1>PDF</a>")
            }
            return StagedBank.Answer(
                status: 429, headers: [HTTPHeader("Retry-After", seconds)],
                body: Array("<h1>Too many requests</h1>".utf8))
        }
    }

    @Test("is waited for when it is short, in a page, a document and a request")
    func short() async throws {
        let document = try await StagedRun.perform(
            "steps:\n  - open: /\n  - download: PDF\n", at: Self.slow("1", times: 2, .pdf()))
        #expect(document.failure == nil, "\(document.failure?.description ?? "")")
        let page = try await StagedRun.perform(
            "steps:\n  - open: /1\n  - expect: { says: Welcome }\n", at: Self.slow("1", times: 1, .page("Welcome")))
        #expect(page.failure?.code == .pdfDownloadFailed)
        let request = try await StagedRun.perform(
            "steps:\n  - request: { GET: /1 }\n  - capture: { a: { json: $.a } }\n",
            at: Self.slow("2", times: 1, .json(#"{"a":"b"}"#)))
        #expect(request.failure?.code == .pdfDownloadFailed)
    }

    @Test("is told of when it is long, and nothing is sent again")
    func long() async throws {
        let bank = Self.slow("3600", times: 9, .pdf())
        let run = try await StagedRun.perform("steps:\n  - open: /\n  - download: PDF\n", at: bank)
        #expect(run.failure?.reason == .refusedByBank)
        #expect(run.failure?.message.contains("429") == true && run.failure?.message.contains("wait 60 min") == true)
        #expect(bank.lines.count == 2)
    }
}
