import Automation
import BankScript
import Encodings
import Foundation
import KeyVault
import Phone
import PhoneStore

/// A bank of this phone: its script, its credentials by name, and what stands against a sign-in.
struct BankView {
    let script: BankScript
    let times: (changed: Date?, used: Date?)?
    /// The names of the programs that give credentials, by the credential's name.
    let programs: [String: String]
    let hold: SignInHold?
    let consent: StoredConsent?
    /// The day since which the bank knows this phone; nil if it does not.
    let knownSince: Date?
    /// The owner has just let the bank's cookies be forgotten.
    let isForgotten: Bool
    let now: Date
    /// The issuer of the vault's token that answers for it.
    let token: String?
    let drift: [ScriptDrift]
    let pages: [PageHistory]
    /// The script comes from a folder, and the owner accepted it.
    let isAccepted: Bool
    /// The reason why the script gets no credentials any more; nil while it is accepted.
    let withdrawal: String?
    let slots: [KeySlot]
    let accounts: [StoredAccount]
    /// The number of its offers that wait in the inbox.
    let offers: Int
    let csrf: String
    /// The address of this page to which the bank may lead a browser back.
    let ownAddress: String

    /// True for a bank that the owner can connect here: no address is named to which a browser comes back on another machine.
    private var mayConnect: Bool {
        guard withdrawal == nil, let exchange = script.exchange, exchange.needsOwner else { return false }
        switch exchange.redirect {
        case nil, .credential: return true
        case .template(let address): return address.source == ownAddress
        default: return false
        }
    }

    var values: [String: Any] {
        let needsBoth = slots.contains(where: \.needsBoth)
        var values: [String: Any] = [
            "id": script.id, "name": script.name, "origins": script.origins.joined(separator: ", "), "csrf": csrf,
            "several": PageText.of(script.fetchesSeveral ? "banks.several-yes" : "banks.several-no"),
            "kind": PageText.of(isAccepted ? "banks.from-folder" : "banks.built-in"), "digest": script.digest.short,
            "byPasskey": !needsBoth && slots.contains { !$0.isPassphrase }, "byPassphrase": !needsBoth,
            "both": needsBoth,
            "fields": script.credentials.map {
                [
                    "name": $0, "bank": script.id, "label": RequestWords.label(of: $0),
                    // A person can see what they type, unless it is a secret by itself.
                    "type": $0 == "username" ? "text" : "password",
                ]
            },
            "drift": drift.map {
                PageText.of(
                    "banks.drift", ["step": String($0.step), "runs": String($0.runs), "all": String($0.allRuns)])
            } + pages.filter(\.touchesScript).compactMap(Self.words),
            "changes": pages.filter { !$0.touchesScript }.compactMap(Self.words),
        ]
        values["withdrawal"] = withdrawal
        values["isTest"] = script.isForTesting
        values["hold"] = hold.map { HoldWords.sentence($0, bankName: script.name) }
        values["consent"] = consent.flatMap { HoldWords.state(of: $0, at: now) }
        if let exchange = script.exchange, exchange.needsOwner, consent == nil, withdrawal == nil {
            values["connect"] =
                mayConnect
                ? PageText.of("banks.must-connect")
                : PageText.of("banks.not-connected", ["command": "countersign phone banks connect \(script.id)"])
        }
        values["known"] = knownSince.map {
            ["since": PageViews.moment($0), "bank": script.id, "csrf": csrf] as [String: Any]
        }
        values["forgotten"] = isForgotten
        values["mayConnect"] = mayConnect
        values["ownAddress"] = ownAddress
        values["renewal"] = consent.flatMap { HoldWords.renewal(of: $0, at: now, bankName: script.name) }
        values["changed"] = times?.changed.map(PageViews.moment)
        values["used"] = times?.used.map(PageViews.moment)
        values["token"] = token
        if !programs.isEmpty {
            values["programs"] = programs.sorted { $0.key < $1.key }
                .map { "\(RequestWords.label(of: $0.key)): \($0.value.inLine(limit: 60))" }.joined(separator: ", ")
        }
        if !accounts.isEmpty { values["accounts"] = accounts.map(\.alias.description).joined(separator: ", ") }
        if offers > 0 {
            values["offers"] =
                offers == 1
                ? PageText.of("banks.offers-one") : PageText.of("banks.offers-many", ["count": String(offers)])
        }
        return values
    }

    private static func words(_ page: PageHistory) -> String? {
        page.changes.sentence.map {
            PageText.of("banks.page-changed", ["step": String(page.step), "change": $0])
        }
    }
}
