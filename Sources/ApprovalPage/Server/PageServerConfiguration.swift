import Foundation
import Phone

/// The address, the name and the security of the approval page's server.
public struct PageServerConfiguration: Sendable {
    public enum Security: Sendable {
        /// Plain HTTP on this machine only: browsers treat `http://localhost` as a secure context.
        case loopback
        /// TLS with a self-signed certificate, kept in the phone's home.
        case selfSigned
        /// TLS with this certificate chain and private key, both PEM files.
        case certificate(chain: URL, key: URL)
    }

    /// The host name of the page. It is the passkeys' relying party, so they work under no other name.
    public var hostName: String
    /// The address to listen on.
    public var address: String
    /// The port to listen on; 0 picks a free one.
    public var port: Int
    public var security: Security
    /// The pause between two refreshes.
    public var refreshInterval: Duration
    /// The lifetime of a session, used or not.
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

    /// Checks the host name and the security.
    ///
    /// - Throws: ``PhoneError`` if plain HTTP would leave this machine.
    func check() throws(PhoneError) {
        guard hostName.wholeMatch(of: /[a-z0-9]([a-z0-9.-]*[a-z0-9])?/) != nil else {
            throw PhoneError(.invalidSetting, "“\(hostName)” is not a host name in lower case")
        }
        guard isTLS || (hostName == "localhost" && ["127.0.0.1", "::1", "localhost"].contains(address)) else {
            throw PhoneError(
                .invalidSetting, "without TLS the page is for this machine only; use --tls to reach it from elsewhere")
        }
    }
}
