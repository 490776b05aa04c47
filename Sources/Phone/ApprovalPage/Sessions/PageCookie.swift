import Foundation
import Hummingbird
import WebServing

/// The session's cookie: for this site and one path of it only, and not readable by scripts.
struct PageCookie: Sendable {
    /// The time for which a browser that is not used stays known, in seconds.
    static let lifetime: TimeInterval = 30 * 86_400

    let isTLS: Bool

    /// Returns the cookie's name: two pages of one machine do not overwrite each other's. The prefix makes browsers refuse
    /// a cookie that plain HTTP has set (RFC 6265bis, section 4.1.3).
    func name(at site: RelyingParty) -> String {
        let port = site.origin.firstMatch(of: /:([0-9]+)$/).map { String($0.1) } ?? (isTLS ? "443" : "80")
        return (isTLS ? "__Secure-" : "") + "countersign-\(port)"
    }

    func make(_ value: String, for session: PageSession, at site: RelyingParty) -> Cookie {
        Cookie(
            name: name(at: site), value: value, maxAge: Int(Self.lifetime), path: session.base,
            secure: isTLS, httpOnly: true, sameSite: .strict)
    }
}
