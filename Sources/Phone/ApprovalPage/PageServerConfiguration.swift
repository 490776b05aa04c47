import Foundation
import Phone
import PhoneStore
import Secrets
import WebServing

/// The address, the name and the security of the approval page's server.
package struct PageServerConfiguration: Sendable {
    package enum Security: Sendable {
        /// Plain HTTP on this machine only: browsers treat `http://localhost` as a secure context.
        case loopback
        /// TLS with a certificate of the household's own authority, both kept in the phone's home.
        case ownAuthority
        /// TLS with this certificate chain and private key, both PEM files.
        case certificate(chain: URL, key: URL)
        /// Plain HTTP on this machine only, behind a proxy that serves this origin with TLS.
        case behindProxy(ProxyOrigin)
    }

    /// The address that stands for all networks of this machine, IPv4 and IPv6.
    package static let everyNetwork = "::"

    /// The host name of the page. It is the passkeys' relying party, so they work under no other name.
    package var hostName: String
    /// The address to listen on.
    package var address: String
    /// The port to listen on; 0 picks a free one.
    package var port: Int
    package var security: Security
    /// The longest pause between two refreshes, from one to thirty seconds: a change at the broker ends it. Below one
    /// second the phone does not wait for changes.
    package var refreshInterval: Duration
    /// The lifetime of a sign-in, used or not.
    package var sessionLifetime: Duration
    /// The time after which a sign-in that is not used ends.
    package var idleLifetime: Duration
    /// The times after which a slow connection is closed.
    package var timeouts = ConnectionTimeouts()
    /// The number of open connections; one address may have half of them. Near the limit the oldest silent one is closed.
    package var connections = 256
    /// The notifications of browsers; nil for none.
    package var notifications: NotificationsConfiguration?
    /// Returns the folder in which the person finds the documents now, if it is not the inbox through which they go.
    package var statements: @Sendable () -> URL? = { nil }
    /// The household whose settings the page changes; nil for a phone by itself.
    package var household: (any PageHousehold)?
    /// The pairings with the household's broker; nil for a phone by itself.
    package var pairings: (any PagePairings)?
    /// The scripts to which the page adds a bank; nil for a phone without a folder for them.
    package var banks: (any PageBanks)?
    /// Is called with the vault's new passphrase once it was changed on the page: a file may have the former one.
    package var onNewPassphrase: @Sendable (Secret) -> Void = { _ in }

    package init(
        hostName: String = "localhost", address: String = "127.0.0.1", port: Int = 8766,
        security: Security = .loopback, refreshInterval: Duration = .seconds(5),
        sessionLifetime: Duration = .seconds(12 * 3600), idleLifetime: Duration = .seconds(30 * 60)
    ) {
        self.hostName = hostName
        self.address = address
        self.port = port
        self.security = security
        self.refreshInterval = refreshInterval
        self.sessionLifetime = sessionLifetime
        self.idleLifetime = idleLifetime
    }

    /// The addresses to listen on: this machine's own two together, or the given one.
    var addresses: [String] {
        if isLoopback { return ["127.0.0.1", "::1"] }
        return address == Self.everyNetwork && Self.keepsFamiliesApart ? [address, Self.everyIPv4Network] : [address]
    }

    static let everyIPv4Network = "0.0.0.0"

    /// True where a socket of IPv6 takes no connection of IPv4 unless it is told to (ipv6(7), `IPV6_V6ONLY`).
    private static let keepsFamiliesApart =
        (try? String(contentsOfFile: "/proc/sys/net/ipv6/bindv6only", encoding: .utf8))?.hasPrefix("1") ?? false

    private var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(address) }

    /// True when browsers reach the page over TLS, the proxy's included.
    var isTLS: Bool { if case .loopback = security { false } else { true } }

    var isBehindProxy: Bool { if case .behindProxy = security { true } else { false } }

    /// Returns the origin that browsers show.
    ///
    /// - Parameter port: the port at which the page listens.
    func origin(port: Int) -> String {
        let port = if case .behindProxy(let origin) = security { origin.port } else { port }
        let isDefault = port == (isTLS ? 443 : 80)
        return "\(isTLS ? "https" : "http")://\(hostName)" + (isDefault ? "" : ":\(port)")
    }

    /// Checks the host name and the security.
    ///
    /// - Throws: ``PhoneError`` if plain HTTP would leave this machine, or no passkey could belong to the name.
    package func check() throws(PhoneError) {
        // The host parser takes every name whose last label is a number for an IPv4 address (WHATWG URL, section 3.5).
        guard !hostName.contains(":"), hostName.firstMatch(of: /(^|\.)(0x[0-9a-f]*|[0-9]+)\.?$/) == nil else {
            throw PhoneError(
                .invalidSetting,
                "\(hostName) is an IP address. A passkey belongs to a host name, so browsers make none for "
                    + "an address (Web Authentication, section 5.1.3); give the name that this machine has in your "
                    + "network, such as phone.local")
        }
        guard hostName.wholeMatch(of: /[a-z0-9]([a-z0-9.-]*[a-z0-9])?/) != nil else {
            throw PhoneError(.invalidSetting, "“\(hostName)” is not a host name in lower case")
        }
        guard isTLS || (hostName == "localhost" && isLoopback) else {
            throw PhoneError(
                .invalidSetting, "without TLS the page is for this machine only; use --tls to reach it from elsewhere")
        }
        guard case .behindProxy(let origin) = security else { return }
        guard isLoopback, hostName == origin.hostName else {
            throw PhoneError(
                .invalidSetting,
                "behind a proxy the page listens on this machine only, and has the proxy's host name; "
                    + "leave --address and --host-name out")
        }
    }
}
