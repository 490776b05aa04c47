import Foundation
import Secrets
import Signer

/// What the phone needs to talk to its broker and to deliver: kept in the vault, so that neither a token nor an
/// address can be exchanged in a file.
public struct PhoneConnection: Sendable {
    /// Scheme, host and port; no path.
    public let brokerURL: URL
    public let token: Secret
    public let sharedSecret: SharedSecret
    /// The synced folder's inbox.
    public let inbox: URL

    private let rawSharedSecret: Secret

    /// - Throws: ``PhoneError`` naming the setting that is no good.
    public init(brokerURL: String, token: Secret, sharedSecret: Secret, inbox: String) throws(PhoneError) {
        guard let url = URL(string: brokerURL), let host = url.host(), !host.isEmpty,
            ["http", "https"].contains(url.scheme?.lowercased() ?? ""), url.user() == nil, url.query() == nil,
            url.fragment() == nil, ["", "/"].contains(url.path())
        else {
            throw PhoneError(.invalidSetting, "the broker's address must be like http://127.0.0.1:8765")
        }
        guard url.scheme?.lowercased() == "https" || Self.isLoopback(host) else {
            throw PhoneError(
                .invalidSetting, "plain http would show the phone's token to the network; use https for \(host)")
        }
        guard !token.isEmpty, token.withUnsafeBytes({ $0.allSatisfy { (0x21...0x7E).contains($0) } }) else {
            throw PhoneError(.invalidSetting, "the phone's token must be printable ASCII without spaces")
        }
        guard inbox.hasPrefix("/") else {
            throw PhoneError(.invalidSetting, "the inbox must be an absolute path of a folder")
        }
        do {
            self.sharedSecret = try SharedSecret(sharedSecret)
        } catch {
            throw PhoneError(.invalidSetting, error.description)
        }
        self.brokerURL = url
        self.token = token
        self.inbox = URL(filePath: inbox, directoryHint: .isDirectory)
        rawSharedSecret = sharedSecret
    }

    private enum Entry {
        static let brokerURL = "connection/broker-url"
        static let token = "connection/phone-token"
        static let sharedSecret = "connection/shared-secret"
        static let inbox = "connection/inbox"
    }

    /// Reads what ``save(to:)`` wrote.
    public init(from vault: some SecretStore) async throws {
        guard let brokerURL = try await vault.secret(named: Entry.brokerURL),
            let token = try await vault.secret(named: Entry.token),
            let sharedSecret = try await vault.secret(named: Entry.sharedSecret),
            let inbox = try await vault.secret(named: Entry.inbox)
        else { throw PhoneError(.notSetUp, "the phone does not know its broker yet; run: countersign phone setup") }
        // Addresses are no secrets: while these live, the redactor would take them out of every message.
        defer {
            brokerURL.wipe()
            inbox.wipe()
        }
        try self.init(
            brokerURL: brokerURL.revealed(), token: token, sharedSecret: sharedSecret, inbox: inbox.revealed())
    }

    public func save(to vault: VaultSecretStore) async throws {
        let addresses = [
            Entry.brokerURL: Secret(brokerURL.absoluteString), Entry.inbox: Secret(inbox.path(percentEncoded: false)),
        ]
        defer { for address in addresses.values { address.wipe() } }
        let secrets = [Entry.token: token, Entry.sharedSecret: rawSharedSecret]
        try await vault.store(secrets.merging(addresses) { $1 })
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "::1", "[::1]"].contains(host.lowercased())
            || host.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
    }
}
