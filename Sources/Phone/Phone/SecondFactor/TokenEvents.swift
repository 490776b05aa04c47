import Encodings
import Storage

/// The audit log's events about TOTP tokens. None of them holds a secret.
extension AuditEvent {
    package static func tokenAdded(issuer: String) -> AuditEvent { token("added", ["issuer": .string(issuer)]) }

    package static func tokenEdited(from: String, to: String) -> AuditEvent {
        token("edited", ["from": .string(from), "to": .string(to)])
    }

    package static func tokenDeleted(issuer: String) -> AuditEvent { token("deleted", ["issuer": .string(issuer)]) }

    package static func tokenShownAsQRCode(issuer: String) -> AuditEvent {
        token("shown_as_qr", ["issuer": .string(issuer)])
    }

    package static func tokensImported(_ count: Int) -> AuditEvent {
        token("imported", ["tokens": .number(Double(count))])
    }

    package static func tokensExported(_ count: Int, isEncrypted: Bool) -> AuditEvent {
        token("exported", ["tokens": .number(Double(count)), "encrypted": .bool(isEncrypted)])
    }

    package static func tokensSynced(folder: String) -> AuditEvent { token("synced", ["folder": .string(folder)]) }
    package static var tokenSyncStopped: AuditEvent { token("sync_stopped", [:]) }
    /// The folder's key was written for another device.
    package static var tokenSyncInvited: AuditEvent { token("invited", [:]) }
    /// The folder's key was read from another device.
    package static var tokenSyncJoined: AuditEvent { token("joined", [:]) }

    private static func token(_ name: String, _ details: JSONValue) -> AuditEvent {
        AuditEvent("totp.\(name)", details: details)
    }
}
