import Encodings
import Storage

/// The audit log's events about TOTP tokens. None of them holds a secret.
extension AuditEvent {
    package static func tokenAdded(issuer: String) -> AuditEvent {
        AuditEvent(.totpAdded, details: ["issuer": .string(issuer)])
    }

    package static func tokenEdited(from: String, to: String) -> AuditEvent {
        AuditEvent(.totpEdited, details: ["from": .string(from), "to": .string(to)])
    }

    package static func tokenDeleted(issuer: String) -> AuditEvent {
        AuditEvent(.totpDeleted, details: ["issuer": .string(issuer)])
    }

    package static func tokenShownAsQRCode(issuer: String) -> AuditEvent {
        AuditEvent(.totpShownAsQr, details: ["issuer": .string(issuer)])
    }

    /// A code was shown at the terminal.
    package static func codeShown(issuer: String) -> AuditEvent {
        AuditEvent(.totpCodeShown, details: ["issuer": .string(issuer)])
    }

    package static func tokensImported(_ count: Int) -> AuditEvent {
        AuditEvent(.totpImported, details: ["tokens": .number(Double(count))])
    }

    package static func tokensExported(_ count: Int, isEncrypted: Bool) -> AuditEvent {
        AuditEvent(.totpExported, details: ["tokens": .number(Double(count)), "encrypted": .bool(isEncrypted)])
    }

    package static func tokensSynced(folder: String) -> AuditEvent {
        AuditEvent(.totpSynced, details: ["folder": .string(folder)])
    }
    package static var tokenSyncStopped: AuditEvent { AuditEvent(.totpSyncStopped) }
    /// The folder's key was written for another device.
    package static var tokenSyncInvited: AuditEvent { AuditEvent(.totpInvited) }
    /// The folder's key was read from another device.
    package static var tokenSyncJoined: AuditEvent { AuditEvent(.totpJoined) }
}
