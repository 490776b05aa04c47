import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import Storage

/// The outcome of a change of the vault's key.
package struct NewKey: Sendable {
    /// The names of the passkeys that ended.
    package let ended: [String]
    /// The key of the messages of failed runs from now on; nil where something could not be finished yet.
    package let messageKey: Secret?
}

/// The vault's note that a new key has not brought everything with it yet. It is written together with the key, so that a phone that
/// stops in between goes on at the next opening.
struct UnfinishedKey {
    private static let entry = "home/unfinished-key"

    let event: AuditEvent
    /// The passkeys that ended.
    let credentialIDs: [[UInt8]]

    init(_ kind: AuditKind, _ details: JSONValue, ending slots: [KeySlot]) {
        event = AuditEvent(kind, severity: .warning, details: details)
        credentialIDs = slots.compactMap { $0.passkey?.credentialID }
    }

    /// - Returns: nil where everything is finished.
    init?(in secrets: VaultSecretStore) async throws {
        guard try await secrets.holds(Self.entry), let text = try await secrets.secret(named: Self.entry) else {
            return nil
        }
        defer { text.wipe() }
        let json = try JSONReader.read(Data(text.revealed().utf8))
        guard let kind = json["event"]?.stringValue.flatMap(AuditKind.init(rawValue:)), let details = json["details"]
        else {
            throw PhoneError(.storeDamaged, "the vault's entry \(Self.entry) is not as this program writes it")
        }
        event = AuditEvent(kind, severity: .warning, details: details)
        credentialIDs = (json["passkeys"]?.arrayValue ?? []).compactMap { Base64URL.decode($0) }
    }

    /// The entry of the vault.
    var stored: [String: Secret] {
        let json: JSONValue = [
            "event": .string(event.type), "details": event.details,
            "passkeys": .array(credentialIDs.map { .string(Base64URL.encode($0)) }),
        ]
        return [Self.entry: Secret(json.compactText())]
    }

    static func remove(from secrets: VaultSecretStore) async throws { try await secrets.remove(named: entry) }
}

extension PhoneHome {
    /// Does what a new vault key brings with it: the reports of failed runs are deleted, copies of documents are encrypted under
    /// another key, because an old copy of the vault has the present one, and passkeys that ended are forgotten. Does nothing where
    /// all is done.
    ///
    /// - Returns: the key of the messages of failed runs; nil where it failed, and goes on when the vault is opened again.
    @discardableResult
    func finishNewKey(in secrets: VaultSecretStore) async -> Secret? {
        do {
            guard let unfinished = try await UnfinishedKey(in: secrets) else { return nil }
            let store = try PhoneDatabase(self)
            try await store.audit.record(unfinished.event)
            FailureReports.deleteAll(of: self)
            try await store.deleteSealedMessages()
            try await DocumentCopies.changeKey(of: self, store: store, in: secrets)
            for passkey in unfinished.credentialIDs { try await store.forgetPasskey(passkey) }
            let key = try await FailureReports(of: self, in: secrets).key
            try await UnfinishedKey.remove(from: secrets)
            return key
        } catch {
            return nil
        }
    }
}
