import CurlClient
import Markup

/// The settings of a session.
public struct BrowserConfiguration: Sendable {
    public var egress: EgressPolicy
    /// Limits, certificate authorities and the User-Agent.
    public var http: CurlConfiguration
    /// Limits on a page.
    public var document = DocumentLimits()
    /// The `Accept-Language` header: BCP 47 tags.
    public var acceptLanguage = "en"
    /// The most redirects in a row, as in the Fetch Standard (section 4.4).
    public var maximumRedirects = 20
    /// The longest `Refresh` delay to wait for.
    public var longestRefresh = Refresh.longestFollowed
    /// The names of cookies whose values are secrets from the moment they are set.
    public var guardedCookies: [String] = []
    /// Receives every exchange as sent, secrets included: pass whatever it keeps through `Redactor` first.
    public var observer: (@Sendable (Exchange) -> Void)?

    public init(egress: EgressPolicy, http: CurlConfiguration = CurlConfiguration()) {
        self.egress = egress
        self.http = http
    }
}
