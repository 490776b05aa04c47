import CurlClient
import Foundation
import HTMLAutomation
import HTMLEngine
import JSON
import Secrets
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
        let code = Secret("4711")
        let value: JSONValue = ["a": "x4711", "4711": 4711, "b": ["4711", true]]
        #expect(value.redacted() == ["a": "x•••", "4711": 4711, "b": ["•••", true]])
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
}
