import Foundation

/// What a broker tells the local network about itself (DNS-SD, RFC 6763). Nothing in it is trusted: it saves typing an
/// address, and the pairing proves who is there.
public struct BrokerAnnouncement: Sendable, Hashable {
    /// DNS-SD's service type.
    public static let serviceType = "_countersign._tcp"
    static let version = "1"

    /// As it is listed; 1 to 63 bytes (RFC 6763, section 4.1.1).
    public let name: String
    public let port: Int
    /// Nil where the broker speaks plain HTTP.
    public let certificate: CertificateFingerprint?
    public let server: ServerID

    /// - Parameter name: is cut where it is too long; an empty one stands for one that cannot be shown.
    public init(name: String, port: Int, certificate: CertificateFingerprint?, server: ServerID) {
        var name = name
        while name.utf8.count > 63 { name.removeLast() }
        // What was cut may end in a space.
        while name.last?.isWhitespace == true { name.removeLast() }
        self.name = name.isEmpty ? "a broker" : name
        self.port = port
        self.certificate = certificate
        self.server = server
    }

    /// The TXT record's strings.
    var texts: [String] {
        var texts = ["v=\(Self.version)", "id=\(server)", "port=\(port)", "tls=\(certificate == nil ? 0 : 1)"]
        if let certificate { texts.append("tls_sha256=\(certificate.hex)") }
        return texts
    }
}

/// A broker that was found. All of it is hearsay until the pairing is done.
public struct DiscoveredBroker: Sendable, Hashable {
    public let announcement: BrokerAnnouncement
    public let address: String

    /// Scheme, address and port.
    public var endpoint: String {
        let host = address.contains(":") ? "[\(address)]" : address
        return "\(announcement.certificate == nil ? "http" : "https")://\(host):\(announcement.port)"
    }
}

/// Looks for brokers nearby: Bonjour on Apple systems, ``AvahiService`` on Linux.
public protocol BrokerBrowser: Sendable {
    /// - Parameter patience: how long is listened for.
    func brokers(within patience: Duration) async throws(DiscoveryError) -> [DiscoveredBroker]
}

/// Why nothing could be announced or found.
public struct DiscoveryError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable {
        /// Avahi's programs are not installed.
        case notInstalled
        /// Its daemon is not running, or refuses.
        case notRunning
    }

    public let code: Code
    public let message: String

    public var description: String { message }
}
