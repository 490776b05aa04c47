import Foundation
import Secrets

/// A cookie by which a bank knows a device again, as a browser keeps it (RFC 6265, section 5.3). Its value is a credential.
public struct DeviceCookie: Sendable {
    public var name: String
    public var value: Secret
    /// The host that gets it, without a leading dot.
    public var domain: String
    /// True if the domain's subdomains get it too.
    public var includesSubdomains: Bool
    public var path: String
    public var isSecure: Bool
    public var isHTTPOnly: Bool
    /// `strict`, `lax` or `none`, in lower case; nil where the engine does not tell.
    public var sameSite: String?
    /// The end that the bank set; nil for a cookie of the session, which is not kept.
    public var expiresAt: Date?

    public init(
        name: String, value: Secret, domain: String, includesSubdomains: Bool = false, path: String = "/",
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: String? = nil, expiresAt: Date? = nil
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.includesSubdomains = includesSubdomains
        self.path = path
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.expiresAt = expiresAt
    }
}
