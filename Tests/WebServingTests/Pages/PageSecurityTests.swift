import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import WebServing

@Suite("The security of a page's answers") struct PageSecurityTests {
    private static let origin = "https://home.example"

    private func request(_ method: HTTPRequest.Method, _ headers: HTTPFields) -> Request {
        Request(
            head: HTTPRequest(method: method, scheme: nil, authority: nil, path: "/", headerFields: headers),
            body: .init(buffer: ByteBuffer()))
    }

    @Test("every answer forbids frames, other types, other origins and storing")
    func headers() throws {
        var answer = Response(status: .ok)
        answer.protect(by: "default-src 'none'", isStrict: false)
        let expected = [
            "Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
            "Permissions-Policy": "publickey-credentials-get=(self), publickey-credentials-create=(self)",
        ]
        for (name, value) in expected {
            #expect(answer.headers[try #require(HTTPField.Name(name))] == value, "\(name)")
        }
        #expect(answer.headers[.strictTransportSecurity] == nil)
    }

    @Test("an answer that allows storing keeps its own word, and a strict site says so for a year")
    func kept() {
        var answer = Response(status: .ok, headers: [.cacheControl: "max-age=60"])
        answer.protect(by: "default-src 'none'", isStrict: true)
        #expect(answer.headers[.cacheControl] == "max-age=60")
        #expect(answer.headers[.strictTransportSecurity] == "max-age=31536000")
    }

    @Test(
        "a request that changes something comes from a page of the same origin",
        arguments: [
            ("https://home.example", "same-origin", true), ("https://home.example", nil, true),
            ("https://home.example", "cross-site", false), ("https://home.example", "same-site", false),
            ("https://home.example", "none", false), ("https://evil.example", "same-origin", false),
            ("https://home.example:8443", nil, false), ("http://home.example", nil, false), ("null", nil, false),
            (nil, "same-origin", false), (nil, nil, false),
        ] as [(String?, String?, Bool)])
    func origins(origin: String?, site: String?, isAllowed: Bool) {
        var headers = HTTPFields()
        headers[.origin] = origin
        headers[.secFetchSite] = site
        for method in [HTTPRequest.Method.post, .put, .delete, .patch] {
            #expect((request(method, headers).refusalUnless(from: Self.origin) == nil) == isAllowed)
        }
        for method in [HTTPRequest.Method.get, .head] {
            #expect(request(method, headers).refusalUnless(from: Self.origin) == nil)
        }
    }

    @Test("a refusal is a sentence of plain text")
    func refusal() {
        let answer = request(.post, [:]).refusalUnless(from: Self.origin)
        #expect(answer?.status == .forbidden)
        #expect(answer?.headers[.contentType] == "text/plain; charset=utf-8")
    }
}
