import Crypto
import Encodings
import Foundation
import Hummingbird
import Languages
import Secrets

/// The sign-in of a browser: the tokens of its session, and the key of its form tokens.
///
/// It lives in one cookie that no script can read. The pages are a client of the API like an app, and this cookie is their
/// keychain: the service keeps no list of browsers, so every browser stays signed in over a restart. Nothing of
/// it is in `localStorage`.
struct BrowserSession: Sendable {
    /// The seconds for which a browser keeps the cookie; the API ends the session itself after as long without use.
    static let lifetime = 90 * 86_400

    let formKey: Secret
    let refreshToken: Secret
    let accessToken: Secret
    let accessExpires: Date

    init(formKey: Secret, refreshToken: Secret, accessToken: Secret, accessExpires: Date) {
        self.formKey = formKey
        self.refreshToken = refreshToken
        self.accessToken = accessToken
        self.accessExpires = accessExpires
    }

    /// Begins a sign-in with the tokens that the API has given.
    init(_ tokens: SessionTokens) {
        self.init(formKey: Secret(RandomText.make(bytes: 32)), tokens)
    }

    private init(formKey: Secret, _ tokens: SessionTokens) {
        self.init(
            formKey: formKey, refreshToken: tokens.refresh, accessToken: tokens.access, accessExpires: tokens.expires)
    }

    /// Goes on with other tokens; forms that are open stay valid.
    func renewed(_ tokens: SessionTokens) -> BrowserSession { BrowserSession(formKey: formKey, tokens) }

    /// The token that every form and script call of this browser has to send.
    var formToken: String {
        let code = formKey.withUnsafeBytes {
            HMAC<SHA256>.authenticationCode(for: Array("form".utf8), using: SymmetricKey(data: $0))
        }
        return Base64URL.encode(Array(code))
    }

    // MARK: The cookie's value

    /// - Parameter cookie: the value of a cookie, which a person can change.
    init?(cookie: String) {
        let parts = cookie.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0] == "1", parts[1].utf8.count >= 32, let seconds = Int(parts[2]) else {
            return nil
        }
        self.init(
            formKey: Secret(parts[1]), refreshToken: Secret(parts[3]), accessToken: Secret(parts[4]),
            accessExpires: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    var cookie: String {
        let expires = String(Int(accessExpires.timeIntervalSince1970))
        return ["1", formKey.revealed(), expires, refreshToken.revealed(), accessToken.revealed()].joined(
            separator: "~")
    }
}

/// The tokens of a sign-in or of a renewal, as the API answers them.
struct SessionTokens: Sendable {
    let access: Secret
    let refresh: Secret
    let expires: Date
}

/// The cookies of the pages: the sign-in, the name of this browser as a device, and the language that was chosen in it.
struct PageCookies: Sendable {
    /// The seconds for which browsers keep a cookie at most (RFC 6265bis, section 5.5).
    private static let longest = 400 * 86_400

    let settings: AssistantPageSettings

    /// The prefix makes browsers refuse the cookie from plain HTTP, from other hosts and for other paths (RFC 6265bis,
    /// section 4.1.3.2). Without TLS the name has the port: cookies know no port, and two programs of one machine must not
    /// overwrite each other's.
    private func name(_ purpose: String) -> String {
        guard !settings.isTLS else { return "__Host-assistant-\(purpose)" }
        let port = settings.origin.firstMatch(of: /:([0-9]+)$/).map { String($0.1) } ?? "80"
        return "assistant-\(purpose)-\(port)"
    }

    func session(of request: Request) -> BrowserSession? {
        request.cookies[name("session")].flatMap { BrowserSession(cookie: $0.value) }
    }

    /// Returns the cookie of a sign-in; with nil, the one that ends it.
    func make(_ session: BrowserSession?) -> Cookie {
        make("session", session?.cookie ?? "", maxAge: session == nil ? 0 : BrowserSession.lifetime)
    }

    /// Returns the name under which this browser is a device of its user, if it has one.
    func device(of request: Request) -> String? {
        request.cookies[name("device")]?.value.wholeMatch(of: /web-[A-Za-z0-9_-]{22}/).map { String($0.0) }
    }

    func make(device: String) -> Cookie { make("device", device, maxAge: Self.longest) }

    /// Returns the language that was chosen in this browser.
    func language(of request: Request) -> Language? {
        let code = request.cookies[name("language")]?.value
        return PageResources.sentences.offered.first { $0.rawValue == code }
    }

    /// - Parameter language: nil to leave the choice to the browser again.
    func make(language: Language?) -> Cookie {
        make("language", language?.rawValue ?? "", maxAge: language == nil ? 0 : Self.longest)
    }

    /// `Lax`, so that a notice, a bookmark and Google's way back find the browser signed in. Everything that changes
    /// something is posted, and checked for its origin and its form token.
    private func make(_ purpose: String, _ value: String, maxAge: Int) -> Cookie {
        Cookie(
            name: name(purpose), value: value, maxAge: maxAge, path: "/", secure: settings.isTLS, httpOnly: true,
            sameSite: .lax)
    }
}

enum RandomText {
    static func make(bytes count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}
