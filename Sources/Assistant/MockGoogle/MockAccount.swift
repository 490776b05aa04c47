import Crypto
import Encodings
import Foundation

/// The one account of the mock: its consents, its calendar and its mailbox.
package actor MockAccount {
    /// A failure that the next calls meet, once each.
    package enum Fault: Sendable, Hashable {
        /// Answers with this status, and `Retry-After` when it is given.
        case status(Int, retryAfter: Int? = nil)
        /// 403 with `userRateLimitExceeded`.
        case userRateLimit
        /// Answers with something that is not JSON.
        case garbage
    }

    struct Code {
        let redirectURI: String
        let challenge: String?
        let scopes: [String]
    }

    struct Grant {
        let refreshToken: String
        let scopes: [String]
        var accessTokens: [String: Date] = [:]
    }

    private let configuration: MockGoogleConfiguration
    private var codes: [String: Code] = [:]
    private var grants: [Grant] = []
    private var faults: [Fault] = []
    /// The calendars besides the first.
    var calendars: [String] = []
    var events: [MockEvent] = []
    var calendarVersion = 1
    /// The oldest version that a sync token may name.
    var oldestCalendarVersion = 1
    var messages: [MockMessage] = []
    var historyID = 1000
    /// The oldest place from which the history can be read.
    var oldestHistoryID = 1000
    /// Every call by its path and query, for tests to look at.
    package private(set) var calls: [String] = []

    init(_ configuration: MockGoogleConfiguration) {
        self.configuration = configuration
    }

    // MARK: For tests

    /// Lets the next calls fail, one fault each.
    package func fail(_ faults: Fault...) { self.faults += faults }

    /// Ends every consent, as the user does in the account's settings, or Google after seven days.
    package func endConsents() { grants = [] }

    package var refreshTokens: [String] { grants.map(\.refreshToken) }

    /// Makes a consent to read the calendar without the consent page, and returns its refresh token.
    package func consentForTests() -> String { grant(["https://www.googleapis.com/auth/calendar.readonly"]).refresh }

    /// Makes a consent to read everything without the consent page, and returns an access token.
    package func accessTokenForTests() -> String {
        grant(["calendar.readonly", "gmail.readonly"].map { "https://www.googleapis.com/auth/\($0)" }).access
    }

    func note(_ call: String) { calls.append(call) }

    func nextFault() -> Fault? { faults.isEmpty ? nil : faults.removeFirst() }

    // MARK: Consent and tokens

    /// Makes the code of a consent.
    func consent(_ code: Code) -> String {
        let text = "4/" + Self.random()
        codes[text] = code
        return text
    }

    /// Takes a code, which counts once.
    func take(_ code: String) -> Code? { codes.removeValue(forKey: code) }

    func grant(_ scopes: [String]) -> (refresh: String, access: String) {
        var grant = Grant(refreshToken: "1//" + Self.random(), scopes: scopes)
        let access = "ya29." + Self.random()
        grant.accessTokens[access] = expiry
        grants.append(grant)
        return (grant.refreshToken, access)
    }

    /// Makes another access token of a consent.
    func refresh(_ token: String) -> (access: String, scopes: [String])? {
        guard let index = grants.firstIndex(where: { $0.refreshToken == token }) else { return nil }
        let access = "ya29." + Self.random()
        grants[index].accessTokens[access] = expiry
        return (access, grants[index].scopes)
    }

    /// Ends the consent to which a refresh or an access token belongs.
    func revoke(_ token: String) -> Bool {
        let count = grants.count
        grants.removeAll { $0.refreshToken == token || $0.accessTokens[token] != nil }
        return grants.count < count
    }

    /// Returns the scopes of an access token, or nil when it does not count.
    func scopes(of access: String) -> [String]? {
        let now = configuration.now()
        return grants.first { $0.accessTokens[access].map { $0 > now } == true }?.scopes
    }

    private var expiry: Date { configuration.now().addingTimeInterval(TimeInterval(configuration.accessTokenSeconds)) }

    private static func random() -> String {
        Base64URL.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }
}
