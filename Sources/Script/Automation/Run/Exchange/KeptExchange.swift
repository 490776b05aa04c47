import Encodings
import Foundation
import Secrets

/// An exchange with one bank as a phone keeps it: the credentials that it obtained, and the step that it was in the middle of.
///
/// It is one value, so that it is written at once. A program that is killed finds the state before or the state after.
struct KeptExchange: Sendable {
    /// Credentials that were obtained.
    struct Grant: Sendable {
        var credentials: [String: Secret]
        /// The token that renews them; nil where the bank gave none.
        var refresh: Secret?
        /// The end of ``credentials``; nil where the bank names none.
        var expiresAt: Date?
        var obtainedAt: Date
        /// The digest of the credential that was given for them: with another one they are obtained anew.
        var source: String
        /// The answer that opened a session, as JSON; nil for credentials.
        var answer: Secret?
    }

    /// A step whose answer may be lost.
    enum Pending: Sendable {
        /// The address of a setup token may have been asked.
        case claiming(source: String, since: Date)
        /// A code that the owner's browser brought, and that may not have been given away.
        case redeeming(code: Secret, verifier: Secret, redirect: String, since: Date)
        /// A code that the owner may be typing on another device.
        case device(DeviceCode)
    }

    /// A device authorization that the bank answered (RFC 8628, section 3.2).
    struct DeviceCode: Sendable {
        var code: Secret
        /// The text that the owner types.
        var typed: String
        var page: String
        var wholePage: String?
        /// The seconds between two questions.
        var interval: Int
        var expiresAt: Date
    }

    var grant: Grant?
    var pending: Pending?

    init(grant: Grant? = nil, pending: Pending? = nil) {
        self.grant = grant
        self.pending = pending
    }

    /// Reads what ``sealed`` made; nil for another text.
    init?(_ kept: Secret) {
        guard let members = (try? JSONReader.read(kept.revealed()))?.objectValue else { return nil }
        if let text = members["grant"]?.objectValue {
            guard let credentials = text["credentials"]?.objectValue, let obtained = text["obtained"].moment,
                let source = text["source"]?.stringValue
            else { return nil }
            grant = Grant(
                credentials: credentials.compactMapValues { $0.stringValue.map { Secret($0) } },
                refresh: text["refresh"]?.stringValue.map { Secret($0) }, expiresAt: text["expires"].moment,
                obtainedAt: obtained, source: source, answer: text["answer"]?.stringValue.map { Secret($0) })
        }
        guard let text = members["pending"]?.objectValue else { return }
        switch text["step"]?.stringValue {
        case "claiming":
            guard let source = text["source"]?.stringValue, let since = text["since"].moment else { return nil }
            pending = .claiming(source: source, since: since)
        case "redeeming":
            guard let code = text["code"]?.stringValue, let verifier = text["verifier"]?.stringValue,
                let redirect = text["redirect"]?.stringValue, let since = text["since"].moment
            else { return nil }
            pending = .redeeming(code: Secret(code), verifier: Secret(verifier), redirect: redirect, since: since)
        case "device":
            guard let code = text["code"]?.stringValue, let interval = text["interval"]?.intValue,
                let expires = text["expires"].moment, let typed = text["typed"]?.stringValue,
                let page = text["page"]?.stringValue
            else { return nil }
            pending = .device(
                DeviceCode(
                    code: Secret(code), typed: typed, page: page, wholePage: text["whole_page"]?.stringValue,
                    interval: interval, expiresAt: expires))
        default: return nil
        }
    }

    /// The value as one text for the vault.
    var sealed: Secret {
        var members: [String: JSONValue] = [:]
        if let grant {
            var text: [String: JSONValue] = [
                "credentials": .object(grant.credentials.mapValues { .string($0.revealed()) }),
                "obtained": .moment(grant.obtainedAt), "source": .string(grant.source),
            ]
            text["refresh"] = grant.refresh.map { .string($0.revealed()) }
            text["expires"] = grant.expiresAt.map(JSONValue.moment)
            text["answer"] = grant.answer.map { .string($0.revealed()) }
            members["grant"] = .object(text)
        }
        switch pending {
        case .claiming(let source, let since):
            members["pending"] = ["step": "claiming", "source": .string(source), "since": .moment(since)]
        case .redeeming(let code, let verifier, let redirect, let since):
            members["pending"] = [
                "step": "redeeming", "code": .string(code.revealed()), "verifier": .string(verifier.revealed()),
                "redirect": .string(redirect), "since": .moment(since),
            ]
        case .device(let device):
            var text: [String: JSONValue] = [
                "step": "device", "code": .string(device.code.revealed()), "typed": .string(device.typed),
                "page": .string(device.page), "interval": .number(Double(device.interval)),
                "expires": .moment(device.expiresAt),
            ]
            text["whole_page"] = device.wholePage.map(JSONValue.string)
            members["pending"] = .object(text)
        case nil: break
        }
        return Secret(JSONValue.object(members).compactText())
    }
}

extension JSONValue {
    /// Whole seconds since 1970.
    fileprivate static func moment(_ date: Date) -> JSONValue { .number(date.timeIntervalSince1970.rounded(.down)) }
}

extension JSONValue? {
    fileprivate var moment: Date? { self?.numberValue.map { Date(timeIntervalSince1970: $0) } }
}
