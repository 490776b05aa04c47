import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import Storage
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

    @Test("browsers that were forgotten beside a locked page stay forgotten after another one signs in or comes in")
    func forgottenBeside() async throws {
        try await TestPhone.with { phone in
            try await phone.opening { page, server in
                let (first, _) = try #require(
                    try await server.state.admit(TestPhone.code(in: page), KnownBrowser(userAgent: nil)))
                let store = try PhoneDatabase(phone.home)
                try await Self.subscribe(first, in: store)
                let new = Secret("another passphrase for the browsers' test")
                try await phone.home.changePassphrase(from: phone.verification, to: new)
                let code = try await store.makeTerminalCode(for: .openPage, lifetime: 60).text
                let (second, _) = try #require(try await server.state.admit(code, KnownBrowser(userAgent: nil)))
                #expect(await server.state.browsers.map(\.browser.id) == [second.browser.id])
                let verification = PassphraseVerification(new)
                #expect(try await server.state.signIn(first, from: "127.0.0.1", verification) == nil)
                #expect(try await server.state.signIn(second, from: "127.0.0.1", verification) != nil)
                let kept = try await store.knownBrowsers(usedSince: .distantPast)
                #expect(kept.map(\.id) == [second.browser.id])
                #expect(try await store.pushSubscriptions().isEmpty, "nothing tells it of requests")
                #expect(try await Self.forgotten(in: store) == [first.browser.id])
            }
        }
    }

    @Test("those that a new passphrase on the page forgets get no notifications any more, and are in the log")
    func others() async throws {
        try await TestPhone.with { phone in
            try await phone.opening { page, server in
                let store = try PhoneDatabase(phone.home)
                var sessions: [PageSession] = []
                for code in [
                    TestPhone.code(in: page), try await store.makeTerminalCode(for: .openPage, lifetime: 60).text,
                    try await store.makeTerminalCode(for: .openPage, lifetime: 60).text,
                ] {
                    let (session, _) = try #require(
                        try await server.state.admit(code, KnownBrowser(userAgent: nil)))
                    try await Self.subscribe(session, in: store)
                    sessions.append(session)
                }
                let own = sessions[0]
                try await server.state.forgetOtherBrowsers(than: own)
                #expect(await server.state.browsers.map(\.browser.id) == [own.browser.id])
                #expect(try await store.knownBrowsers(usedSince: .distantPast).map(\.id) == [own.browser.id])
                #expect(try await store.pushSubscriptions().map(\.place) == [own.place])
                let others = Set(sessions.dropFirst().map(\.browser.id))
                #expect(try await Set(Self.forgotten(in: store)) == others)
            }
        }
    }

    /// Has requests told to a browser.
    private static func subscribe(_ session: PageSession, in store: PhoneDatabase) async throws {
        try await store.keep(
            StoredSubscription(
                endpoint: "https://push.example/\(session.browser.id)", publicKey: "BA", authentication: "AA",
                place: session.place, createdAt: Date()))
    }

    /// The browsers that the log says were forgotten.
    private static func forgotten(in store: PhoneDatabase) async throws -> [String] {
        try await store.audit.records(AuditFilter(type: "page.browser_forgotten"))
            .compactMap { $0.event.details["id"]?.stringValue }
    }

    @Test("one that was forgotten beside a locked page does not sign in")
    func signInForgotten() async throws {
        try await TestPhone.with { phone in
            try await phone.opening { page, server in
                let (session, _) = try #require(
                    try await server.state.admit(TestPhone.code(in: page), KnownBrowser(userAgent: nil)))
                let store = try PhoneDatabase(phone.home)
                try await store.keep([])
                #expect(try await server.state.signIn(session, from: "127.0.0.1", phone.verification) == nil)
                #expect(try await store.knownBrowsers(usedSince: .distantPast).isEmpty)
                #expect(await server.state.browsers.isEmpty)
            }
        }
    }

    @Test("browsers that come while another signs in stay known")
    func atOnce() async throws {
        try await TestPhone.with { phone in
            try await phone.opening { page, server in
                let store = try PhoneDatabase(phone.home)
                let (first, _) = try #require(
                    try await server.state.admit(TestPhone.code(in: page), KnownBrowser(userAgent: nil)))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        var session = first
                        for _ in 0..<4 {
                            session = try #require(
                                try await server.state.signIn(session, from: "127.0.0.1", phone.verification)
                            ).session
                        }
                    }
                    for _ in 0..<8 {
                        let code = try await store.makeTerminalCode(for: .openPage, lifetime: 60).text
                        group.addTask {
                            let admitted = try await server.state.admit(code, KnownBrowser(userAgent: nil))
                            #expect(admitted != nil)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(await server.state.browsers.count == 9)
                #expect(try await store.knownBrowsers(usedSince: .distantPast).count == 9)
            }
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
