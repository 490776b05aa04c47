import Crypto
import Encodings
import Foundation
import PhoneStore
import Secrets

/// A browser that has shown a code from the terminal. Once it has signed in it may look and deny. Each approval is
/// verified again.
struct PageSession: Sendable, Hashable {
    /// The SHA-256 of the cookie's value, which itself is not kept.
    let id: [UInt8]
    /// The folder of this browser's pages. Cookies know no port, so the cookie is bound to this path: another server of
    /// this machine gets it only at a path that it cannot know.
    let place: String
    /// The token that every form and script call has to send.
    let csrfToken: String
    /// The browser, as the owner sees it in the list of browsers.
    let browser: KnownBrowser
    /// The end of the sign-in, used or not; nil for a browser that has not signed in.
    fileprivate(set) var signedInUntil: ContinuousClock.Instant?
    fileprivate(set) var usedAt: ContinuousClock.Instant
    /// The same moment, for the list that outlives this program.
    fileprivate(set) var lastUse: Date

    var isSignedIn: Bool { signedInUntil != nil }

    /// The path of every address of this browser's pages.
    var base: String { Self.base(of: place) }

    static func base(of place: String) -> String { "/at/\(place)" }
}

/// A browser as its owner sees it. Its place and its cookie are its own secrets, so it has a name for others.
struct KnownBrowser: Sendable, Hashable {
    /// Names the browser in the list; it opens nothing.
    let id: String
    /// The program and the system, as the browser says: `Firefox on Linux`.
    let name: String
    let admittedAt: Date

    /// - Parameter userAgent: the header of that name (RFC 9110, section 10.1.5), which any program can choose.
    init(userAgent: String?, at time: Date = Date()) {
        id = Base64URL.encode(RandomBytes.make(12))
        name = Self.name(of: userAgent ?? "")
        admittedAt = time
    }

    /// The name in the page's language.
    var words: String { Self.words(of: name) }

    static func words(of name: String) -> String {
        let parts = name.components(separatedBy: " on ")
        let program = parts[0] == Self.unknown ? PageText.of("browser.unknown") : parts[0]
        return parts.count == 2 ? PageText.of("browser.on", ["program": program, "system": parts[1]]) : program
    }

    private static let unknown = "A browser"

    fileprivate init(_ stored: StoredBrowser) {
        (id, name, admittedAt) = (stored.id, stored.name, stored.admittedAt)
    }

    static func name(of userAgent: String) -> String {
        // Each of these also names some that come after it.
        let programs = [
            ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("CriOS/", "Chrome"),
            ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
        ]
        let systems = [
            ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
            ("Windows", "Windows"), ("Mac OS X", "Mac"), ("Linux", "Linux"),
        ]
        let program = programs.first { userAgent.contains($0.0) }?.1 ?? unknown
        return program + (systems.first { userAgent.contains($0.0) }.map { " on \($0.1)" } ?? "")
    }
}

/// The browsers that the page knows. After a restart it knows them still, and all are signed out.
struct PageSessions: Sendable {
    static let most = 32

    /// The longest sign-in.
    let lifetime: Duration
    /// The longest pause between two uses of a sign-in.
    let idleLifetime: Duration

    private var sessions: [[UInt8]: PageSession] = [:]

    init(lifetime: Duration, idleLifetime: Duration) {
        self.lifetime = lifetime
        self.idleLifetime = idleLifetime
    }

    /// Admits a browser that has shown a code from the terminal.
    ///
    /// - Returns: the session and the cookie's value, which is given out once.
    mutating func admit(_ browser: KnownBrowser) -> (session: PageSession, cookie: String) {
        if sessions.count >= Self.most, let oldest = sessions.values.min(by: { $0.usedAt < $1.usedAt }) {
            sessions[oldest.id] = nil
        }
        return make(at: Base64URL.encode(RandomBytes.make(16)), browser, signedInUntil: nil)
    }

    /// Signs a browser in. It gets another cookie and another form token.
    ///
    /// - Returns: nil when the browser was forgotten meanwhile.
    mutating func signIn(_ session: PageSession) -> (session: PageSession, cookie: String)? {
        guard forget(browser: session.browser.id) != nil else { return nil }
        return make(at: session.place, session.browser, signedInUntil: .now + lifetime)
    }

    /// Signs a browser out. It may sign in again without another code.
    ///
    /// - Returns: nil when the browser was forgotten meanwhile.
    mutating func signOut(_ session: PageSession) -> (session: PageSession, cookie: String)? {
        guard forget(browser: session.browser.id) != nil else { return nil }
        return make(at: session.place, session.browser, signedInUntil: nil)
    }

    private mutating func make(
        at place: String, _ browser: KnownBrowser, signedInUntil: ContinuousClock.Instant?
    ) -> (session: PageSession, cookie: String) {
        let cookie = Base64URL.encode(RandomBytes.make(32))
        let session = PageSession(
            id: Self.id(of: cookie), place: place, csrfToken: Base64URL.encode(RandomBytes.make(32)),
            browser: browser, signedInUntil: signedInUntil, usedAt: .now, lastUse: Date())
        sessions[session.id] = session
        return (session, cookie)
    }

    /// Returns the session of a cookie at its place.
    ///
    /// - Parameter isUse: whether the person does something; a page that renews itself does not keep a sign-in alive.
    mutating func session(cookie: String, at place: String, isUse: Bool) -> PageSession? {
        guard var session = sessions[Self.id(of: cookie)],
            ConstantTime.isEqual(session.place.utf8, place.utf8),
            session.lastUse > Date().addingTimeInterval(-PageCookie.lifetime)
        else { return nil }
        if let end = session.signedInUntil, end <= .now || session.usedAt + idleLifetime <= .now {
            session.signedInUntil = nil
        }
        if isUse { (session.usedAt, session.lastUse) = (.now, Date()) }
        sessions[session.id] = session
        return session
    }

    /// The known browsers, the latest used first.
    var all: [PageSession] { sessions.values.sorted { $0.usedAt > $1.usedAt } }

    /// Forgets a browser: it needs another code from the terminal.
    ///
    /// - Returns: its session; nil when no browser has this id.
    mutating func forget(browser id: String) -> PageSession? {
        let found = sessions.values.filter { $0.browser.id == id }
        for session in found { sessions[session.id] = nil }
        return found.first
    }

    // MARK: Over a restart

    /// The browsers for the list that outlives this program: without sign-ins, and with hashes of their cookies.
    var stored: [StoredBrowser] {
        sessions.values.map {
            StoredBrowser(
                id: $0.browser.id, cookieHash: Data($0.id), place: $0.place, name: $0.browser.name,
                admittedAt: $0.browser.admittedAt, usedAt: $0.lastUse)
        }
    }

    /// Knows the browsers of an earlier run again. Each has to sign in.
    mutating func recall(_ stored: [StoredBrowser]) {
        for (age, browser) in stored.prefix(Self.most).enumerated() where sessions[Array(browser.cookieHash)] == nil {
            sessions[Array(browser.cookieHash)] = PageSession(
                id: Array(browser.cookieHash), place: browser.place,
                csrfToken: Base64URL.encode(RandomBytes.make(32)), browser: KnownBrowser(browser), signedInUntil: nil,
                // The clock of this run knows no earlier one; only the order counts.
                usedAt: .now - .milliseconds(age), lastUse: browser.usedAt)
        }
    }

    /// The folders of the known browsers.
    var places: Set<String> { Set(sessions.values.map(\.place)) }

    /// Tells whether a browser is still signed in, without using the session.
    func isSignedIn(_ id: [UInt8]) -> Bool {
        guard let session = sessions[id], let end = session.signedInUntil else { return false }
        return end > .now && session.usedAt + idleLifetime > .now
    }

    private static func id(of cookie: String) -> [UInt8] { Array(SHA256.hash(data: Data(cookie.utf8))) }
}

enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
