import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Secrets
import TestSupport
import Testing

@testable import Authoring

@Suite("A masked exchange")
struct ExchangeMaskTests {
    @Test(
        "headers that carry a session lose their values",
        arguments: [
            ("Cookie", "a=1; b=2", "a=•••; b=•••"),
            ("Set-Cookie", "sid=abc; Path=/; Secure", "sid=•••; Path=/; Secure"),
            ("Authorization", "Bearer abc.def", "Bearer •••"),
            ("X-CSRF-Token", "abc", "•••"),
            ("Content-Type", "text/html; charset=utf-8", "text/html; charset=utf-8"),
        ])
    func headers(name: String, value: String, masked: String) {
        #expect(Mask().header(HTTPHeader(name, value)).value == masked)
    }

    @Test("JSON stays JSON")
    func json() {
        let account: JSONValue = [
            "iban": "DE89370400440532013000", "balance": 123_456, "month": 1, "year": 2026, "token": "abc",
            "open": true, "names": ["Robin", .null],
        ]
        #expect(
            Mask().json(account) == [
                "iban": "•••", "balance": 0, "month": 1, "year": 2026, "token": "•••", "open": true,
                "names": ["Robin", .null],
            ])
    }

    @Test("secrets are redacted in JSON texts, and it stays JSON")
    func redacted() {
        let code = Secret("482904711")
        let value: JSONValue = ["a": "x482904711", "482904711": 482_904_711, "b": ["482904711", true]]
        #expect(value.redacted() == ["a": "x•••", "482904711": 482_904_711, "b": ["•••", true]])
        code.wipe()
    }

    @Test("becomes a curl command with secrets as shell variables")
    func curl() {
        let password = Secret("correct horse")
        let exchange = Exchange(
            startedAt: Date(), method: "POST", url: "https://b.example/login?next=%2Fa&sid=12",
            requestHeaders: [
                HTTPHeader("Content-Type", "application/x-www-form-urlencoded"), HTTPHeader("X-CSRF-Token", "abc"),
                HTTPHeader("Accept", "text/\"html\""),
            ],
            requestBody: Array("_csrf=4711&note=hello+$you&entry=correct+horse".utf8), status: 200, version: "1.1",
            responseHeaders: [], responseBody: nil, responseBytes: 0,
            timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
        let expected = #"""
            curl \
              "https://b.example/login?next=%2Fa&sid=$URL_TOKEN" \
              -H "Content-Type: application/x-www-form-urlencoded" \
              -H "X-CSRF-Token: $X_CSRF_TOKEN" \
              -H "Accept: text/\"html\"" \
              -b cookies.txt -c cookies.txt \
              --data-urlencode "_csrf=$CSRF" \
              --data-urlencode "note=hello \$you" \
              --data-urlencode "entry=$ENTRY"
            """#
        #expect("\(CurlCommand(exchange))" == expected)
        password.wipe()
    }

    private static func sent(_ body: [UInt8], _ type: String) -> CurlCommand {
        CurlCommand(
            Exchange(
                startedAt: Date(), method: "POST", url: "https://b.example/x",
                requestHeaders: [HTTPHeader("Content-Type", type)], requestBody: body, status: 200, version: "1.1",
                responseHeaders: [], responseBody: nil, responseBytes: 0,
                timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero)))
    }

    /// A shell takes each scalar by itself; a combining mark behind a quotation mark does not hide it.
    @Test(
        "a curl command runs nothing that the bank wrote",
        arguments: [
            ("a=`\u{301}touch ran`\u{301}", "text/plain"), ("\"\u{301}; touch ran; \"\u{301}", "text/plain"),
            (#"{"a": "`\u0301touch ran`\u0301"}"#, "application/json"),
            (#"{"a": "\ue000", "password": "x"}"#, "application/json"), (#"["\ue0007\ue000"]"#, "application/json"),
            ("`touch ran`=1&b=\"$(touch ran)\"", "application/x-www-form-urlencoded"),
        ])
    func curlInjection(body: String, type: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let command = "curl() { :; }\n\(Self.sent(Array(body.utf8), type))"
        let outcome = try await ChildProcess.run(URL(filePath: "/bin/sh"), ["-c", command], in: folder.url)
        #expect(outcome.status == 0, "\(command)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty, "\(command)")
    }

    @Test("a curl command encodes as the page does")
    func curlEncoding() {
        let command = Self.sent(Array("ort=K%F6ln&pin=12345".utf8), "application/x-www-form-urlencoded")
        #expect("\(command)".contains(#"--data-raw "ort=K%F6ln""#), "windows-1252 stays windows-1252")
        #expect("\(command)".contains(#"--data-urlencode "pin=$PIN""#))
    }

    @Test("a curl command shows a JSON body, with secrets as shell variables")
    func curlJSON() {
        let password = Secret("correct horse")
        let body = #"{"user": "robin", "password": "correct horse", "filter": {"year": 2026}}"#
        let command = "\(Self.sent(Array(body.utf8), "application/json"))"
        #expect(
            command.contains(
                #"--data-raw "{\"filter\":{\"year\":2026},\"password\":\"$PASSWORD\",\"user\":\"$USER\"}""#),
            "\(command)")
        password.wipe()
    }

    @Test("a one-letter secret shines through neither a list of options nor prose")
    func oneLetter() throws {
        let letter = Secret("a")
        let digit = Secret("7")
        let page = try Document.parse(
            Array(
                """
                <p>Choose a letter of a word, for example a.</p><form action=/x><select name=c><option>a<option>b
                <option>7</select><input name=c3 value=a></form>
                """.utf8), url: "https://b.example/")
        let html = SanitisedPage(page, use: .replay).html
        #expect(html.contains("Choose a letter of a word, for example a."), "\(html)")
        #expect(html.contains("<option>a</option><option>b"), "\(html)")
        #expect(html.contains("<option>7</option>"), "\(html)")
        #expect(html.contains(#"name="c3" value="•••""#), "what was typed is hidden")
        letter.wipe()
        digit.wipe()
    }

    @Test("an address in JSON keeps its structure")
    func address() {
        #expect(
            Mask().json(["href": "/api/documents/3f2a9c0b7d6e4f1a8b5c2d9e/pdf?sid=1"])
                == ["href": "/api/documents/%E2%80%A2%E2%80%A2%E2%80%A2/pdf?sid=%E2%80%A2%E2%80%A2%E2%80%A2"])
    }
}
