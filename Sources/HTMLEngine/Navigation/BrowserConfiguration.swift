import CurlClient
import DOM

/// What a session may do and how it introduces itself.
public struct BrowserConfiguration: Sendable {
    public var egress: EgressPolicy
    /// Limits, authorities and the User-Agent.
    public var http: CurlConfiguration
    /// How large a page may be.
    public var document = DocumentLimits()
    /// BCP 47 tags, as in the header.
    public var acceptLanguage = "en"
    /// In a row, as the Fetch Standard has it (section 4.4).
    public var maximumRedirects = 20
    /// The longest `Refresh` delay that is waited for. A longer one is a session's end, not a way on.
    public var longestRefresh: Duration = .seconds(10)
    /// Is told of every exchange as it was on the wire, secrets and all: what it keeps has to pass `Redactor` first.
    public var observer: (@Sendable (Exchange) -> Void)?

    public init(egress: EgressPolicy, http: CurlConfiguration = CurlConfiguration()) {
        self.egress = egress
        self.http = http
    }
}
