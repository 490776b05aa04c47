import Automation
import BankScript
import Foundation
import HTMLAutomation
import HTMLEngine
import TestCases
import Testing

@testable import Authoring

@Suite("A script drafted from the recording of an app")
struct AppDraftTests {
    @Test("lists the JSON requests of a page without forms, without values")
    func jsonBank() throws {
        var visit = ImaginedVisit()
        visit.get("/app", "<title>App</title><div id=root></div><script src=app.js></script>")
        visit.json("/api/login", #"{"user": "kim", "pin": "geheim"}"#, answer: "{}")
        let yaml = try ScriptDraft(recording: visit.archive).yaml
        #expect(yaml.contains("#   POST https://www.bank.example/api/login with pin, user"))
        #expect(!yaml.contains("kim") && !yaml.contains("geheim"))
    }

    @Test("sends an app's own requests, with its tokens traced to where they came from")
    func app() async throws {
        var visit = ImaginedVisit()
        visit.get("/app", "<html lang=en><title>App</title><div id=root></div><script src=app.js></script>")
        visit.json(
            "/api/login", #"{"user": "kim", "password": "geheim", "device": "web"}"#,
            answer: #"{"access": {"token": "tok-4711-abcdef"}, "customer": 81}"#)
        visit.json(
            "/api/list", #"{"year": 2026}"#,
            answer: #"{"documents": [{"id": "doc-77", "period": "2026-04"}, {"id": "doc-76", "period": "2026-03"}]}"#,
            headers: [("Authorization", "Bearer tok-4711-abcdef")])
        visit.pdf("/api/doc/doc-76/content", headers: [("Authorization", "Bearer tok-4711-abcdef")])
        let (yaml, draft) = try visit.drafted()
        #expect(
            yaml.contains("POST: /api/login") && yaml.contains("password: $password")
                && yaml.contains("user: $username"),
            "\(draft.yaml)")
        #expect(yaml.contains("json: $.access.token, secret: true"), "\(draft.yaml)")
        #expect(yaml.contains("$.documents[?@.period == '{{ year }}-{{ month | pad: 2 }}'].id"), "\(draft.yaml)")
        #expect(yaml.contains("GET: \"/api/doc/{{ id }}/content\""), "\(draft.yaml)")
        #expect(!draft.yaml.contains("geheim") && !draft.yaml.contains("kim") && !draft.yaml.contains("tok-4711"))
        #expect(draft.yaml.contains("# Question 1: What does the bank answer to a wrong password?"))
        #expect(draft.parameters == ["month": 3, "year": 2026])
        let check = await draft.check(against: visit.archive)
        #expect(check.outcome == .passed, "\(check.text)")
    }

    @Test("repeats an app's forms, bare tokens and numbers, and says what it leaves out")
    func everyRequest() async throws {
        var visit = ImaginedVisit()
        visit.get("/app", "<html lang=en><title>App</title><div id=root></div><script src=app.js></script>")
        visit.json(
            "/api/login", "user=kim&password=geheim&lang=en",
            answer: #"{"token": "tok-4711-abcdef", "customer": 48151}"#)
        let token = [("Authorization", "tok-4711-abcdef")]
        visit.json(get: "/api/news", answer: #"{"items": ["Hello"]}"#, headers: token)
        visit.post("/legacy/keepalive", "beat=1", "<p>ok")
        visit.json(
            "/api/list", #"{"customer": 48151, "month": 3, "year": 2026, "pageSize": 25}"#,
            answer: #"{"documents": [{"id": "doc-77", "period": "2026-04"}, {"id": "doc-76", "period": "2026-03"}]}"#,
            headers: token)
        visit.pdf("/api/doc/doc-76/content", headers: token)
        let (yaml, draft) = try visit.drafted()
        #expect(yaml.contains("form: { user: $username, password: $password, lang: en }"), "\(draft.yaml)")
        #expect(yaml.contains("headers: { Authorization: { captured: token } }"), "\(draft.yaml)")
        #expect(yaml.contains(#"customer: { number: "{{ customer }}" }"#), "\(draft.yaml)")
        #expect(
            yaml.contains(#"month: { number: "{{ month }}" }"#) && yaml.contains(#"year: { number: "{{ year }}" }"#))
        let remarks = draft.yaml.split(separator: "\n").filter { $0.contains("#") }.joined(separator: "\n")
        for words in [
            "Question 1: What does the bank answer to a wrong password?",
            "Question 2: POST https://www.bank.example/api/list sends pageSize 25 as recorded",
            "Left out, because no later request uses their answers:", "  GET https://www.bank.example/api/news",
            "Question 3: Do these forms belong to the way to the statement?",
            "  POST https://www.bank.example/legacy/keepalive with beat",
        ] {
            #expect(remarks.contains(words), "\(words) is missing in:\n\(remarks)")
        }
        #expect(!draft.yaml.contains("geheim") && !draft.yaml.contains("tok-4711") && !yaml.contains("48151"))
        let check = await draft.check(against: visit.archive)
        #expect(check.outcome == .passed, "\(check.text)")
    }

    @Test("traces an app's tokens to its page, to cookies that it decodes, and to headers")
    func tokens() async throws {
        var visit = ImaginedVisit()
        visit.get(
            "/app?lang=en",
            "<html lang=en><title>App</title><meta name=csrf-token content=page-4711-token><div id=root>")
        visit.json(
            "/api/login", #"{"user": "kim", "password": "geheim"}"#, answer: #"{"state": "in"}"#,
            headers: [("X-CSRF-Token", "page-4711-token"), ("Authorization", "Bearer")])
        visit.answerHeader("Set-Cookie", "XSRF-TOKEN=ab%2F99%3D; Path=/")
        visit.answerHeader("X-Access-Token", "access-77-88")
        visit.json(
            "/api/list", #"{"year": 2026}"#,
            answer: #"{"documents": [{"id": "doc-77", "period": "2026-04"}, {"id": "doc-76", "period": "2026-03"}]}"#,
            headers: [("X-XSRF-TOKEN", "ab/99="), ("Authorization", "Bearer access-77-88")])
        visit.fetched(
            "/api/doc/doc-76", type: "application/octet-stream", "%PDF-1.7\nstartxref\n0\n%%EOF\n",
            headers: [("Authorization", "Bearer access-77-88")])
        let (yaml, draft) = try visit.drafted()
        for line in [
            #"- open: "/app?lang=en""#, #"css: "meta[name=\"csrf-token\"]", attribute: content, secret: true"#,
            "cookie: XSRF-TOKEN, filter: urldecode, secret: true", "header: X-Access-Token, secret: true",
        ] {
            #expect(yaml.contains(line), "\(line) is missing in:\n\(draft.yaml)")
        }
        #expect(!draft.yaml.contains("4711") && !draft.yaml.contains("ab/99") && !draft.yaml.contains("access-77"))
        #expect(!draft.yaml.contains("Where does the app take"), "\(draft.yaml)")
        let check = await draft.check(against: visit.archive)
        #expect(check.outcome == .passed, "\(check.text)")
    }
}
