import Foundation
import Phone

/// Where the approval page is served, and under which name it is reached.
public struct PageServerConfiguration: Sendable {
    public enum Security: Sendable {
        /// Plain HTTP, for this machine alone: browsers count `http://localhost` as a secure context.
        case loopback
        /// TLS with a certificate of the phone's own, kept in its home.
        case selfSigned
        /// TLS with this certificate chain and private key, both PEM files.
        case certificate(chain: URL, key: URL)
    }

    /// The name under which browsers reach the page. It is the passkeys' relying party: they work under no other.
    public var hostName: String
    /// The address to listen on.
    public var address: String
    /// 0 takes a free one.
    public var port: Int
    public var security: Security
    /// How often the broker is asked.
    public var refreshInterval: Duration
    /// A session ends after so long, used or not.
    public var sessionLifetime: Duration

    public init(
        hostName: String = "localhost", address: String = "127.0.0.1", port: Int = 8766,
        security: Security = .loopback, refreshInterval: Duration = .seconds(5),
        sessionLifetime: Duration = .seconds(12 * 3600)
    ) {
        self.hostName = hostName
        self.address = address
        self.port = port
        self.security = security
        self.refreshInterval = refreshInterval
        self.sessionLifetime = sessionLifetime
    }

    var isTLS: Bool { if case .loopback = security { false } else { true } }

    /// - Throws: ``PhoneError`` when plain HTTP would leave this machine.
    func check() throws(PhoneError) {
        guard hostName.wholeMatch(of: /[a-z0-9]([a-z0-9.-]*[a-z0-9])?/) != nil else {
            throw PhoneError(.invalidSetting, "“\(hostName)” is no host name in lower case")
        }
        guard isTLS || (hostName == "localhost" && ["127.0.0.1", "::1", "localhost"].contains(address)) else {
            throw PhoneError(
                .invalidSetting, "without TLS the page is for this machine only; use --tls to reach it from elsewhere")
        }
    }
}
