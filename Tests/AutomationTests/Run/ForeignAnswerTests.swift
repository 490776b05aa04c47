import BankScript
import CurlClient
import Foundation
import Testing

@testable import Automation

@Suite("An answer of a bank that breaks the rules of JSON")
struct ForeignAnswerTests {
    @Test(
        "is read as browsers read it",
        arguments: [
            #"{"id":9007199254740993123}"#, "\u{FEFF}{\"id\":\"9007199254740993123\"}",
            ")]}',\n{\"id\":\"9007199254740993123\"}",
            #"{"id":"1","id":"9007199254740993123","t":"\ud83d","n":NaN}"#,
        ])
    func read(text: String) async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /api": .json(text)
            case "GET /d?9007199254740993123": .pdf()
            default: .page("wrong", status: 404)
            }
        }
        let run = try await StagedRun.perform(
            "steps:\n  - request: { GET: /api }\n  - capture: { d: { json: $.id } }\n  - download: { open: \"/d?{{ d }}\" }\n",
            at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
    }

    @Test("is named with the byte where it stops to be JSON")
    func none() async throws {
        let bank = StagedBank { _, _ in StagedBank.Answer(type: "text/html", body: Array("<html>Sign in".utf8)) }
        for step in ["capture: { d: { json: $.id } }", "expect: { json: $.id }"] {
            let run = try await StagedRun.perform("steps:\n  - request: { GET: /api }\n  - \(step)\n", at: bank)
            let message = run.failure?.message ?? ""
            #expect(
                message.contains("is not JSON: “<” where a value was expected (byte 0 of 13, sent as text/html)"),
                "\(message)")
        }
    }
}
