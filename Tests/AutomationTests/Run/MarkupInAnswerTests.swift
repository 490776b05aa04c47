import Automation
import BankScript
import Testing

@Suite("A capture from markup in an answer")
struct MarkupInAnswerTests {
    @Test(
        "finds the element",
        arguments: [
            (
                #"{"html":"<ul><li><a class=d href='/1.pdf'>March 2026</a></ul>"}"#, "application/json",
                "a.d, attribute: href"
            ),
            (
                #"{"rows":[{"cell":"<b>x</b>"},{"cell":"<a href=/1.pdf>PDF</a>"}]}"#, "application/json",
                "a, attribute: href"
            ),
            ("<?xml version='1.0'?><docs><doc><id>/1.pdf</id></doc></docs>", "application/xml", "id"),
            ("<ul><li data-place=/1.pdf>March", "text/html", "\"[data-place]\", attribute: data-place"),
        ])
    func found(body: String, type: String, source: String) async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": return .page("<p>App")
            case "GET /api": return .init(type: type, body: Array(body.utf8))
            default: return .pdf()
            }
        }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - request: { GET: /api }\n  - capture: { d: { css: \(source) } }\n"
                + "  - download: { open: \"{{ d }}\" }\n", at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["GET /", "GET /api", "GET /1.pdf"])
    }

    @Test("leaves an element of the page to the page, and takes no one of several")
    func page() async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": .page("<a href=/page.pdf>PDF</a>")
            case "GET /api": .json(#"{"html":"<a href=/answer.pdf>PDF</a><i>1</i><i>2</i>"}"#)
            default: .pdf()
            }
        }
        let steps = "steps:\n  - open: /\n  - request: { GET: /api }\n"
        let run = try await StagedRun.perform(
            steps + "  - capture: { d: { css: a, attribute: href } }\n  - download: { open: \"{{ d }}\" }\n", at: bank)
        #expect(run.failure == nil)
        #expect(bank.lines.last == "GET /page.pdf")
        let several = try await StagedRun.perform(
            steps + "  - capture: { d: { css: i } }\n  - download: { open: \"{{ d }}\" }\n", at: bank)
        #expect(several.failure?.message.contains("nothing is found by: css “i”") == true)
    }
}
