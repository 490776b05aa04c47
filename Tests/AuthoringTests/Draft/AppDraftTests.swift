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

    /// Values that a page may send beside the password `Zy9!canary-pass`, as JSON.
    private static let leaks: [(name: String, json: String)] = [
        ("b64", #""Wnk5IWNhbmFyeS1wYXNz""#),
        ("hex", #""5a79392163616e6172792d70617373""#),
        ("md5", #""982fbcbc6741811cd370df074d3b5e88""#),
        ("sha1", #""453c8d2e5690e4e89d8d411dd2ee6bb28e542ca5""#),
        ("sha256", #""f92c06d850014b53884fd5cf029bcffcef3205ad04d9c5927d73a275178db9c1""#),
        (
            "sha512",
            #""519f77bd587319da5b07264c9d0f148be969c1b1d770616f3883f0b2e8cc3b4b48d58fcb9cab8f763a140d55e34fadaf37f3bd33f9677698496b625b27c190e8""#
        ),
        ("reverse", #""ssap-yranac!9yZ""#),
        ("upper", #""ZY9!CANARY-PASS""#),
        ("url", #""Zy9%21canary-pass""#),
        ("part1", #""Zy9!cana""#), ("part2", #""ry-pass""#), ("part3", #""-CAN""#),
        ("iban", #""DE02120300000000202051""#),
        ("card", #""4111 1111 1111 1111""#),
        ("name", #""Kim Canary""#),
        ("number", "48151623"),
    ]

    @Test("holds nothing that follows from the password, no account and no name, and asks for them")
    func derived() throws {
        var visit = ImaginedVisit()
        visit.get("/app", "<html lang=en><title>App</title><div id=root></div><script src=app.js></script>")
        let members = Self.leaks.map { #""\#($0.name)": \#($0.json)"# }.joined(separator: ", ")
        visit.json(
            "/api/login",
            #"{"user": "kim-canary", "password": "Zy9!canary-pass", "device": "web", "lang": "de-AT", \#(members)}"#,
            answer: #"{"token": "tok-4711-abcdef"}"#)
        let token = [("Authorization", "Bearer tok-4711-abcdef")]
        visit.json(
            "/api/list/DE02120300000000202051?digest=982fbcbc6741811cd370df074d3b5e88", #"{"year": 2026}"#,
            answer: #"{"documents": [{"id": "doc-77", "period": "2026-04"}, {"id": "doc-76", "period": "2026-03"}]}"#,
            headers: token + [("X-Check", "453c8d2e5690e4e89d8d411dd2ee6bb28e542ca5")])
        visit.pdf("/api/doc/doc-76/content", headers: token)
        let (yaml, draft) = try visit.drafted()
        for (name, json) in Self.leaks {
            let text = json.trimmingCharacters(in: ["\""])
            #expect(!draft.yaml.lowercased().contains(text.lowercased()), "\(name): \(draft.yaml)")
        }
        #expect(!draft.yaml.contains("canary"), "\(draft.yaml)")
        #expect(yaml.contains("password: $password") && yaml.contains("device: web") && yaml.contains("lang: de-AT"))
        let remarks = draft.yaml.split(separator: "\n").filter { $0.contains("#") }.joined(separator: "\n")
        for words in [
            "sends b64, hex, md5, part1, part2, part3, reverse, sha1, sha256, sha512, upper, url, which follows from something that was typed",
            "sends card, iban, name, number, which no earlier answer has",
            "Where does the app take the value of the header X-Check from?",
        ] {
            #expect(remarks.contains(words), "\(words) is missing in:\n\(remarks)")
        }
    }

    @Test("has no account's number in the names of a page's links and fields, nor what was typed into a field")
    func accountsOfPages() throws {
        var visit = ImaginedVisit()
        visit.get(
            "/login",
            "<html lang=en><title>Bank</title><form method=post action=/in><label>Name <input name=n></label><label>PIN <input type=password name=p></label><button>Sign in</button></form>"
        )
        visit.post(
            "/in", "n=kim-canary&p=Zy9!canary-pass",
            "<title>Bank</title><a href=/a>Account DE02 1203 0000 0000 2020 51</a>")
        visit.get(
            "/a",
            "<title>Bank</title><form action=/find method=post><label>Owner <input name=owner></label><button>Find</button></form>"
        )
        visit.post("/find", "owner=Kim+Canary", "<title>Bank</title><a href=/2026-03.pdf>March 2026</a>")
        visit.pdf("/2026-03.pdf")
        let (yaml, draft) = try visit.drafted()
        for text in ["1203 0000", "Canary", "canary"] { #expect(!draft.yaml.contains(text), "\(draft.yaml)") }
        #expect(yaml.contains("follow: Account …") || yaml.contains("follow: \"Account …\""), "\(draft.yaml)")
        #expect(draft.yaml.contains("stands for an account's number"), "\(draft.yaml)")
        #expect(draft.yaml.contains("What belongs into this field?"), "\(draft.yaml)")
    }
}
