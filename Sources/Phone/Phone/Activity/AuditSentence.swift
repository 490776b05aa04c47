import Encodings
import Foundation
import PhoneStore
import Storage

/// A record of the audit log as a sentence for the phone's owner, on the page and at the terminal.
package enum AuditSentence {
    /// Returns the sentence; the event's name for an event that has none.
    ///
    /// - Parameter bankName: returns a bank's name by its id.
    package static func words(_ event: AuditEvent, bankName: (String) -> String) -> String {
        let name = text(event, "name")
        let bank = text(event, "bank_id").map(bankName) ?? "a bank"
        return switch event.type {
        case "request.received": "A request came"
        case "request.approved": "You approved a request"
        case "request.executing": "The bank was visited for a request"
        case "request.completed": "What was asked for was delivered\(text(event, "file").map { ": \($0)" } ?? "")"
        case "request.failed": "A request failed\(text(event, "error_message").map { ": \($0)" } ?? "")"
        case "request.denied": "You denied a request"
        case "request.expired": "A request ended without a decision"
        case "request.refused": "A message was refused: \(text(event, "message") ?? "it could not be verified")"
        case "offer.opened": "You opened an offer of documents of \(bank), and a request was made of it"
        case "owner.asked": "You asked for documents of \(bank)"
        case "owner.asked_again": "You asked again for documents of \(bank)"
        case "offer.dismissed": "You dismissed an offer of documents of \(bank)"
        case "page.opened": "A browser opened the page with a code from the terminal"
        case "page.certificate_renewed": "The certificate of the page was renewed"
        case "page.authority_replaced":
            "The page has a new certificate authority, version \(number(event, "version")): each device has to trust it anew"
        case "page.signed_in": "The page was unlocked by \(text(event, "means") ?? "its owner")"
        case "verification.failed": "A passphrase or passkey was refused"
        case "passkey.added": "The passkey “\(name ?? "")” was added"
        case "passkey.removed": "The way into the vault “\(name ?? "")” was removed"
        case "passkey.renamed": "A passkey was renamed to “\(name ?? "")”"
        case "passkey.failed": "A passkey's answer was refused: \(text(event, "message") ?? "")"
        case "vault.requires_both": "The vault needs passkey and passphrase together from now on"
        case "vault.rekeyed": "The vault got a new key and a new passphrase"
        case "vault.restored": "A backup of the vault was accepted"
        case "credentials.stored": "Credentials of \(bank) were stored"
        case "credentials.removed": "The credentials of \(bank) were removed"
        case "bank.knows_phone": "From now on \(bank) knows this device, and asks it for no code"
        case "bank.forgot_phone": "This device is not known at \(bank) any more"
        case "client.allowed": "The program “\(text(event, "agent") ?? "")” elsewhere may ask for documents from now on"
        case "client.denied": "A program elsewhere was not allowed"
        case "client.removed": "The program “\(text(event, "agent") ?? "")” elsewhere lost its rights"
        case "hold.set": "Sign-ins at \(bank) are on hold: it refused the credentials, or may have"
        case "hold.overridden": "You allowed one more try at \(bank)"
        case "approval.signed": "This phone signed an approval"
        case "approval.refused": "An approval was refused: \(text(event, "message") ?? "")"
        case "approval.waiting": "An approval waits for another device"
        case "statement.changed": "A document in the inbox was changed by another program, and was not shown"
        case "copy.changed": "A kept copy is not the document that was delivered, and was not shown"
        case "copies.kept": "This phone keeps encrypted copies of documents from now on"
        case "copies.deleted": "The copies of documents were deleted, and none is kept from now on"
        case "notifications.added": "A browser is notified from now on"
        case "notifications.removed": "A browser is not notified any more"
        case "notifications.key_replaced":
            "The key for notifications was replaced. Browsers that have to subscribe anew: \(number(event, "count"))"
        case "device.paired": "This phone was paired with its broker"
        case "device.rotated": "This phone and its broker agreed on new keys"
        case "device.removed": "The device “\(name ?? "")” was removed"
        case "page.browser_forgotten": "A browser was forgotten: \(text(event, "browser") ?? "")"
        case "phone.set_up": "This phone was set up"
        case "broker.unproven_allowed": "This phone may send its token to a broker that proves nothing"
        case "broker.unproven": "A broker that proved nothing got this phone's token, as allowed"
        case "broker.started_refused": "The broker did not accept the message that a visit to the bank had begun"
        case "broker.started_unheard": "The broker could not be told that a visit to the bank had begun"
        case "pairing.failed": "A pairing failed: \(text(event, "message") ?? "it was not completed")"
        case "pairing.opened": "A code for another device was shown on the page, to \(text(event, "browser") ?? "")"
        case "pairing.done": "The device “\(name ?? "")” was paired on the page"
        case "pairing.ended":
            "The pairing of another device ended without one: \(text(event, "message") ?? "it was not completed")"
        case "rotation.failed":
            "New keys could not be agreed on: \(text(event, "message") ?? "the broker did not answer")"
        case "pin.set": "The broker's certificate is the only one that this phone trusts from now on"
        case "pin.reset": "The broker's certificate that this phone trusted was forgotten"
        case "pin.mismatch": "A server showed another certificate than expected, and was not trusted"
        case "broker.flood": "The broker sent more requests than this phone reads"
        case "totp.shown": "The one-time codes of the vault were shown on the page"
        case "totp.code_shown": "A one-time code of \(text(event, "issuer") ?? "a service") was shown at the terminal"
        case "copy.opened": "The kept copy of a document was opened on the page"
        case "statement.opened": "A statement was opened on the page"
        case "script.accepted":
            "A script of \(bank) was accepted: it may use credentials at \(text(event, "origins") ?? "its bank")"
        case "script.revoked": "A script of \(bank) may not run any more"
        case "passkey.code_shown": "A code to \(text(event, "to") ?? "change") a passkey was shown at the terminal"
        case "settings.changed": "The settings of the household were changed"
        case "page.address_shown": "The page's address with a code was shown at the terminal"
        case "account.renamed":
            "The account \(text(event, "from") ?? "") of \(bank) is called \(text(event, "to") ?? "") now"
        case "policy.accepted": "The vault vouches for the policy and the accepted scripts as they are now"
        case "plugins.loaded": "This phone runs with plug-ins: \(text(event, "plugins") ?? "")"
        case "audit.viewed": "This log was looked at in a terminal"
        case "audit.exported": "This log was exported"
        case "audit.pruned": "The oldest records of this log were removed, as its retention says"
        case "totp.added": "The token of \(text(event, "issuer") ?? "a service") was added to the vault"
        case "totp.linked": "A token of the vault answers for \(bank) from now on"
        case "totp.unlinked": "No token of the vault answers for \(bank) any more"
        case "totp.edited":
            "The token of \(text(event, "from") ?? "a service") was renamed to \(text(event, "to") ?? "")"
        case "totp.deleted": "The token of \(text(event, "issuer") ?? "a service") was deleted"
        case "totp.shown_as_qr": "The token of \(text(event, "issuer") ?? "a service") was shown as a QR code"
        case "totp.imported": "Tokens of another authenticator were imported"
        case "totp.exported": "The tokens of the vault were exported"
        case "totp.synced": "The tokens are shared through the folder \(text(event, "folder") ?? "") from now on"
        case "totp.sync_stopped": "The tokens are not shared with other devices any more"
        case "totp.invited": "The key of the shared tokens was written to a file for another device"
        case "totp.joined": "The key of another device's tokens was read from a file"
        // A program that writes into the database gives it any length.
        default: event.type.inLine(limit: 100)
        }
    }

    private static func number(_ event: AuditEvent, _ member: String) -> String {
        event.details[member]?.intValue.map { String($0) } ?? "?"
    }

    private static func text(_ event: AuditEvent, _ member: String) -> String? {
        event.details[member]?.stringValue.map { ReportText.cleaned($0, limit: 200) }
    }
}
