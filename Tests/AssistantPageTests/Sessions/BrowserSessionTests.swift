import Foundation
import Secrets
import Testing

@testable import AssistantPage

@Suite("A browser's sign-in") struct BrowserSessionTests {
    private let stage = PagesStage()

    @Test("comes back out of its cookie as it went in")
    func roundTrip() throws {
        let session = stage.session()
        let read = try #require(BrowserSession(cookie: session.cookie))
        #expect(read.accessToken.revealed() == "access-token-of-browser-one")
        #expect(read.refreshToken.revealed() == "refresh-token-of-browser-one")
        #expect(read.accessExpires == session.accessExpires)
        #expect(read.formToken == session.formToken)
    }

    @Test(
        "is not read from a cookie that lacks something",
        arguments: [
            "", "1", "1~short~1800000000~refresh~access", "2~key-of-the-forms-of-a-browser-00000000~1~refresh~access",
            "1~key-of-the-forms-of-a-browser-00000000~soon~refresh~access",
            "1~key-of-the-forms-of-a-browser-00000000~1~refresh",
        ])
    func malformed(cookie: String) {
        #expect(BrowserSession(cookie: cookie) == nil)
    }

    @Test("keeps its form token over a renewal, and has another one in another browser")
    func formTokens() {
        let session = stage.session()
        let tokens = SessionTokens(
            access: Secret("access-token-after-renewal"), refresh: Secret("refresh-token-after-renewal"),
            expires: PagesStage.now)
        #expect(session.renewed(tokens).formToken == session.formToken)
        #expect(stage.session("two").formToken != session.formToken)
        #expect(BrowserSession(tokens).formToken != BrowserSession(tokens).formToken)
        #expect(!session.cookie.contains(session.formToken), "a page's token opens nothing of the cookie")
    }

    @Test("no script can read its cookie, which is bound to this host and to TLS")
    func cookie() {
        let cookie = PageCookies(settings: stage.settings).make(stage.session()).description
        #expect(cookie.hasPrefix("__Host-assistant-session=1~"))
        for attribute in ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"] { #expect(cookie.contains(attribute)) }
        #expect(!cookie.contains("Domain"))
    }

    @Test("without TLS the cookie's name has the port")
    func port() {
        let plain = PagesStage { $0.publicURL = URL(string: "http://localhost:8790") }
        let cookie = PageCookies(settings: plain.settings).make(plain.session()).description
        #expect(cookie.hasPrefix("assistant-session-8790=1~"))
        #expect(cookie.contains("HttpOnly") && !cookie.contains("Secure"))
    }
}
