import Foundation
import Phone
import PhoneStore
import Secrets
import Synchronization
import TestParties
import Testing

@testable import ApprovalPage

@Suite("Browsers after a restart of the page", .timeLimit(.minutes(3)))
struct RememberedBrowserTests {
    private static func empty() -> PageSessions { PageSessions(lifetime: .seconds(600), idleLifetime: .seconds(600)) }

    @Test("one that is known stays known, signed out, with another form token; one that is forgotten does not")
    func recalled() async throws {
        try await TestPhone.with { phone in
            var before = Self.empty()
            let (admitted, _) = before.admit(KnownBrowser(userAgent: "Firefox/144.0 Linux"))
            let made = before.signIn(admitted)
            let signedIn = try #require(made)
            let (other, otherCookie) = before.admit(KnownBrowser(userAgent: nil))
            _ = before.forget(browser: other.browser.id)
            let store = try PhoneDatabase(phone.home)
            try await store.keep(before.stored)

            var after = Self.empty()
            after.recall(try await store.knownBrowsers(usedSince: Date().addingTimeInterval(-3600)))
            let recalled = after.session(cookie: signedIn.cookie, at: admitted.place, isUse: true)
            let session = try #require(recalled)
            #expect(!session.isSignedIn && session.csrfToken != signedIn.session.csrfToken)
            #expect(session.browser.name == "Firefox on Linux" && session.browser.id == admitted.browser.id)
            let elsewhere = after.session(cookie: signedIn.cookie, at: "another-place", isUse: true)
            let forgotten = after.session(cookie: otherCookie, at: other.place, isUse: true)
            #expect(elsewhere == nil && forgotten == nil)
            #expect(try await store.knownBrowsers(usedSince: Date().addingTimeInterval(60)).isEmpty, "not used since")
        }
    }

    @Test("a new passphrase forgets them all")
    func rekeyed() async throws {
        try await TestPhone.with { phone in
            var sessions = Self.empty()
            _ = sessions.admit(KnownBrowser(userAgent: nil))
            let store = try PhoneDatabase(phone.home)
            try await store.keep(sessions.stored)
            try await phone.home.changePassphrase(
                from: phone.verification, to: Secret("another passphrase for the browsers' test"))
            #expect(try await store.knownBrowsers(usedSince: .distantPast).isEmpty)
        }
    }

    @Test("the page keeps its list: after a restart the same browser signs in without a code")
    func restarted() async throws {
        try await TestPhone.with { phone in
            let cookie = Mutex("")
            let place = Mutex("")
            try await phone.opening { page, server in
                let (session, value) = try #require(
                    try await server.state.admit(
                        TestPhone.code(in: page), KnownBrowser(userAgent: "Firefox/144.0 Linux")))
                let signedIn = try #require(
                    try await server.state.signIn(session, from: "127.0.0.1", phone.verification))
                #expect(value != signedIn.cookie)
                cookie.withLock { $0 = signedIn.cookie }
                place.withLock { $0 = session.place }
            }
            try await phone.opening { _, server in
                let session = try #require(
                    await server.state.session(
                        cookie: cookie.withLock { $0 }, at: place.withLock { $0 }, isUse: true))
                #expect(!session.isSignedIn)
                #expect(try await server.state.signIn(session, from: "127.0.0.1", phone.verification) != nil)
                // The cookie of before has been replaced.
                #expect(
                    await server.state.session(
                        cookie: cookie.withLock { $0 }, at: place.withLock { $0 }, isUse: true) == nil)
                #expect(try await server.state.forget(browser: session.browser.id))
            }
            try await phone.opening { _, server in
                #expect(await server.state.browsers.isEmpty, "forgotten for good")
            }
        }
    }
}
