import Crypto
import Encodings
import Foundation
import Secrets

/// A signed-in browser. It may look and deny; each approval needs a verification of its own.
struct PageSession: Sendable, Hashable {
    /// The SHA-256 of the cookie's value, which itself is not kept.
    let id: [UInt8]
    /// The token that every form and script call has to send.
    let csrfToken: String
    let endsAt: ContinuousClock.Instant
}

/// The signed-in browsers, in memory only: a restart signs everyone out.
struct PageSessions: Sendable {
    static let most = 32

    private var sessions: [[UInt8]: PageSession] = [:]

    /// Begins a session.
    ///
    /// - Returns: the session and the cookie's value, which is given out once.
    mutating func begin(for lifetime: Duration) -> (session: PageSession, cookie: String) {
        sweep()
        if sessions.count >= Self.most, let oldest = sessions.values.min(by: { $0.endsAt < $1.endsAt }) {
            sessions[oldest.id] = nil
        }
        let cookie = Base64URL.encode(RandomBytes.make(32))
        let session = PageSession(
            id: Self.id(of: cookie), csrfToken: Base64URL.encode(RandomBytes.make(32)),
            endsAt: .now + lifetime)
        sessions[session.id] = session
        return (session, cookie)
    }

    func session(cookie: String) -> PageSession? {
        guard let session = sessions[Self.id(of: cookie)], session.endsAt > .now else { return nil }
        return session
    }

    mutating func end(_ session: PageSession) { sessions[session.id] = nil }

    private mutating func sweep() { sessions = sessions.filter { $0.value.endsAt > .now } }

    private static func id(of cookie: String) -> [UInt8] { Array(SHA256.hash(data: Data(cookie.utf8))) }
}

enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
