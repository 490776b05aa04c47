import Encodings
import Foundation
import KeyVault
import Machine
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
    /// The browser in which the owner did it, which the page still knows; nil for the terminal.
    let browserID: String?

    init(_ kind: AuditKind, _ details: JSONValue, ending slots: [KeySlot], in browserID: String? = nil) {
        event = AuditEvent(kind, severity: .warning, details: details)
        credentialIDs = slots.compactMap { $0.passkey?.credentialID }
        self.browserID = browserID
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
        browserID = json["browser"]?.stringValue
    }

    /// The entry of the vault.
    var stored: [String: Secret] {
        var json: [String: JSONValue] = [
            "event": .string(event.type), "details": event.details,
            "passkeys": .array(credentialIDs.map { .string(Base64URL.encode($0)) }),
        ]
        if let browserID { json["browser"] = .string(browserID) }
        return [Self.entry: Secret(JSONValue.object(json).compactText())]
    }

    static func remove(from secrets: VaultSecretStore) async throws { try await secrets.remove(named: entry) }
}

extension PhoneHome {
    /// Does what a new vault key brings with it: browsers are forgotten, reports of failed runs deleted, copies of documents
    /// encrypted under another key, because an old copy of the vault has the present one, and passkeys that ended are forgotten.
    /// Does nothing where all is done.
    ///
    /// - Returns: the key of the messages of failed runs; nil where it failed, and goes on when the vault is opened again.
    @discardableResult
    func finishNewKey(in secrets: VaultSecretStore) async -> Secret? {
        do {
            guard try await UnfinishedKey(in: secrets) != nil else { return nil }
            // One at a time: two that make keys at once would leave copies under a key that is nowhere.
            let lock = try await BlockingWork.run { [newKeyLock] in try FileLock(newKeyLock, waits: true) }
            defer { withExtendedLifetime(lock) {} }
            guard lock != nil, let unfinished = try await UnfinishedKey(in: secrets) else { return nil }
            let store = try PhoneDatabase(self)
            try await forgetBrowsers(otherThan: unfinished.browserID, store)
            // Reports under the new key are later ones, of a phone that was stopped further below.
            if try await !secrets.holds(FailureReports.entry) {
                FailureReports.deleteAll(of: self)
                try await store.deleteSealedMessages()
            }
            let key = try await FailureReports(of: self, in: secrets).key
            try await DocumentCopies.changeKey(of: self, store: store, in: secrets)
            for passkey in unfinished.credentialIDs { try await store.forgetPasskey(passkey) }
            try await store.audit.record(unfinished.event)
            try await UnfinishedKey.remove(from: secrets)
            return key
        } catch {
            return nil
        }
    }

    /// The lock of what a new vault key brings with it.
    var newKeyLock: URL { folder.appending(path: "new-key.lock") }

    /// Forgets the browsers that the page knows, and their notifications: a thief of the old passphrase may have one.
    private func forgetBrowsers(otherThan id: String?, _ store: PhoneDatabase) async throws {
        let kept = try await store.knownBrowsers(usedSince: .distantPast).filter { $0.id == id }
        try await store.keep(kept)
        for subscription in try await store.pushSubscriptions()
        where !kept.contains(where: { $0.place == subscription.place }) {
            try await store.forgetSubscription(subscription.endpoint)
        }
    }
}
