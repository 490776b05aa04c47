import BrokerClient
import DeviceTrust
import Foundation
import PhoneStore
import Secrets
import Signer
import WebURL

/// The token that the phone shows its broker, and the secret with which both sign.
package struct BrokerCredentials: Sendable {
    package let token: Secret
    package let sharedSecret: SharedSecret
    let rawSharedSecret: Secret

    /// - Throws: ``PhoneError`` naming the invalid setting.
    package init(token: Secret, sharedSecret: Secret) throws(PhoneError) {
        guard !token.isEmpty, token.withUnsafeBytes({ $0.allSatisfy { (0x21...0x7E).contains($0) } }) else {
            throw PhoneError(.invalidSetting, "the phone's token must be printable ASCII without spaces")
        }
        do {
            self.sharedSecret = try SharedSecret(sharedSecret)
        } catch {
            throw PhoneError(
                .invalidSetting,
                "the shared secret has \(sharedSecret.count) bytes, and a broker's has at least "
                    + "\(SharedSecret.minimumLength); copy the broker's BROKER_PHONE_SHARED_SECRET whole")
        }
        self.token = token
        rawSharedSecret = sharedSecret
    }
}

/// The settings for the broker and the inbox. They are kept in the vault, so that changing a file cannot replace a
/// token or an address.
package struct PhoneConnection: Sendable {
    /// The scheme, host and port, without a path; or `unix:` and the path of the broker's socket.
    package let brokerURL: URL
    package let credentials: BrokerCredentials
    /// The inbox in the synced folder.
    package let inbox: URL
    /// The device as which the phone was paired; nil if it uses the broker's one token for phones.
    package let pairing: DevicePairing?
    /// The rule for the broker's certificate.
    package var trust: CertificateTrust
    /// True to send the token over plain HTTP also to a broker that cannot prove that it knows it, because it knows only
    /// the specification. Any program at its port then gets the token.
    package var trustsUnprovenBroker = false
    /// The credentials of an unfinished rotation, which the broker may not know yet.
    let next: BrokerCredentials?
    /// The key for the messages of failed runs in the phone's database; nil before the first run.
    package internal(set) var messageKey: Secret?

    package var token: Secret { credentials.token }
    package var sharedSecret: SharedSecret { credentials.sharedSecret }

    /// - Throws: ``PhoneError`` naming the invalid setting.
    package init(
        brokerURL: String, token: Secret, sharedSecret: Secret, inbox: String, pairing: DevicePairing? = nil,
        trust: CertificateTrust = .authorities
    ) throws(PhoneError) {
        try self.init(
            brokerURL: brokerURL, credentials: try BrokerCredentials(token: token, sharedSecret: sharedSecret),
            next: nil, inbox: inbox, pairing: pairing, trust: trust)
    }

    init(
        brokerURL: String, credentials: BrokerCredentials, next: BrokerCredentials?, inbox: String,
        pairing: DevicePairing?, trust: CertificateTrust
    ) throws(PhoneError) {
        self.brokerURL = try Self.address(brokerURL)
        guard inbox.hasPrefix("/") else {
            throw PhoneError(.invalidSetting, "the inbox must be an absolute path of a folder")
        }
        self.credentials = credentials
        self.inbox = URL(filePath: inbox, directoryHint: .isDirectory)
        self.pairing = pairing
        self.trust = trust
        self.next = next
    }

    /// Parses a broker's address.
    ///
    /// - Throws: ``PhoneError`` for an invalid address, or one that would show the token to the network.
    static func address(_ text: String) throws(PhoneError) -> URL {
        if text.hasPrefix(BrokerAddress.socketPrefix) { return try socket(text) }
        guard let origin = try? Origin(parsing: text), ["http", "https"].contains(origin.scheme),
            let url = URL(string: origin.description)
        else {
            throw PhoneError(.invalidSetting, "the broker's address must be like http://127.0.0.1:8765")
        }
        guard origin.scheme == "https" || isOwnMachine(origin.host) else {
            throw PhoneError(
                .invalidSetting, "plain http would show the phone's token to the network; use https for \(origin.host)")
        }
        return url
    }

    private static func socket(_ text: String) throws(PhoneError) -> URL {
        do throws(BrokerAddressError) {
            let address = try BrokerAddress(parsing: text)
            guard let url = URL(string: address.description) else { throw .notAPath(text) }
            return url
        } catch {
            throw PhoneError(.invalidSetting, error.description)
        }
    }

    /// Returns whether a broker's address is a socket, or an origin of this machine.
    package static func isOnThisMachine(_ address: String) -> Bool {
        if address.hasPrefix(BrokerAddress.socketPrefix) { return true }
        guard let origin = try? Origin(parsing: address) else { return false }
        return isOwnMachine(origin.host)
    }

    /// Names below `localhost` are not this machine here: some systems ask a name server for those.
    private static func isOwnMachine(_ host: WebURL.Host) -> Bool {
        if case .domain(let name) = host { name == "localhost" } else { host.isLoopback }
    }
}

/// This phone's identity as a device of its broker.
package struct DevicePairing: Sendable, Hashable {
    package let deviceID: DeviceID
    package let server: ServerIdentity

    package init(deviceID: DeviceID, server: ServerIdentity) {
        self.deviceID = deviceID
        self.server = server
    }
}
