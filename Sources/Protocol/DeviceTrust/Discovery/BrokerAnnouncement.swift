import Foundation

/// A broker's announcement on the local network (DNS-SD, RFC 6763). It saves typing an address and is not trusted: the
/// pairing proves the broker's identity.
package struct BrokerAnnouncement: Sendable, Hashable {
    /// The DNS-SD service type.
    package static let serviceType = "_countersign._tcp"
    static let version = "1"

    /// The name in listings: 1 to 63 bytes (RFC 6763, section 4.1.1).
    package let name: String
    package let port: Int
    /// Nil when the broker serves plain HTTP.
    package let certificate: CertificateFingerprint?
    package let server: ServerID

    /// - Parameter name: a name that is too long is cut. An empty one means that the name cannot be shown.
    package init(name: String, port: Int, certificate: CertificateFingerprint?, server: ServerID) {
        var name = name
        while name.utf8.count > 63 { name.removeLast() }
        // The cut name may end in a space.
        while name.last?.isWhitespace == true { name.removeLast() }
        self.name = name.isEmpty ? "a broker" : name
        self.port = port
        self.certificate = certificate
        self.server = server
    }

    /// The strings of the TXT record.
    var texts: [String] {
        var texts = ["v=\(Self.version)", "id=\(server)", "port=\(port)", "tls=\(certificate == nil ? 0 : 1)"]
        if let certificate { texts.append("tls_sha256=\(certificate.hex)") }
        return texts
    }
}

/// A broker found on the network. Its properties are not trusted before the pairing is done.
package struct DiscoveredBroker: Sendable, Hashable {
    package let announcement: BrokerAnnouncement
    package let address: String

    /// Scheme, address and port.
    package var endpoint: String {
        let host = address.contains(":") ? "[\(address)]" : address
        return "\(announcement.certificate == nil ? "http" : "https")://\(host):\(announcement.port)"
    }
}

/// A way to find brokers on the local network, such as ``AvahiService``.
package protocol BrokerBrowser: Sendable {
    /// - Parameter patience: how long to listen.
    func brokers(within patience: Duration) async throws(DiscoveryError) -> [DiscoveredBroker]
}

/// The reason why a broker cannot be announced or found.
package struct DiscoveryError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable {
        /// Avahi's programs are not installed.
        case notInstalled
        /// Avahi's daemon is not running, or refuses.
        case notRunning
    }

    package let code: Code
    package let message: String

    package var description: String { message }
}
