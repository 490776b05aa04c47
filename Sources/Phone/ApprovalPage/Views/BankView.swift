import Automation
import BankScript
import Foundation
import KeyVault
import Phone
import PhoneStore

/// A bank of this phone: its script, its credentials by name, and what stands against a sign-in.
struct BankView {
    let script: BankScript
    let times: (changed: Date?, used: Date?)?
    let hold: SignInHold?
    let consent: StoredConsent?
    /// The day since which the bank knows this phone; nil if it does not.
    let knownSince: Date?
    let now: Date
    /// The issuer of the vault's token that answers for it.
    let token: String?
    let drift: [ScriptDrift]
    let pages: [PageHistory]
    /// The script comes from a folder, and the owner accepted it.
    let isAccepted: Bool
    let slots: [KeySlot]
    let accounts: [StoredAccount]
    /// The number of its offers that wait in the inbox.
    let offers: Int
    let csrf: String
    /// The address of this page to which the bank may lead a browser back.
    let ownAddress: String

    /// True for a bank that the owner can connect here: no address is named to which a browser comes back on another machine.
    private var mayConnect: Bool {
        guard let exchange = script.exchange, exchange.needsOwner else { return false }
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
            "several": script.fetchesSeveral ? "yes, with one sign-in" : "no, one statement in a visit",
            "kind": isAccepted ? "from your folder, accepted by you" : "built in", "digest": script.digest.short,
            "byPasskey": !needsBoth && slots.contains { !$0.isPassphrase }, "byPassphrase": !needsBoth,
            "both": needsBoth,
            "fields": script.credentials.map {
                [
                    "name": $0, "bank": script.id, "label": $0.replacing("_", with: " ").capitalized,
                    // A person can see what they type, unless it is a secret by itself.
                    "type": $0 == "username" ? "text" : "password",
                ]
            },
            "drift": drift.map {
                "Step \($0.step) of the script begins to miss its page, in \($0.runs) of \($0.allRuns) runs."
            } + pages.filter(\.touchesScript).compactMap(Self.words),
            "changes": pages.filter { !$0.touchesScript }.compactMap(Self.words),
        ]
        values["isTest"] = script.isForTesting
        if let hold { values["hold"] = "\(script.name) \(hold.words)" }
        values["consent"] = consent?.state(at: now)
        if let exchange = script.exchange, exchange.needsOwner, consent == nil {
            values["connect"] =
                "Not connected yet."
                + (mayConnect ? "" : " On this phone's computer: countersign phone banks connect \(script.id)")
        }
        values["known"] = knownSince.map {
            ["since": PageViews.moment($0), "bank": script.id, "csrf": csrf] as [String: Any]
        }
        values["mayConnect"] = mayConnect
        values["ownAddress"] = ownAddress
        values["renewal"] = consent?.offer(at: now, bankName: script.name)
        values["changed"] = times?.changed.map(PageViews.moment)
        values["used"] = times?.used.map(PageViews.moment)
        values["token"] = token
        if !accounts.isEmpty { values["accounts"] = accounts.map(\.alias.description).joined(separator: ", ") }
        if offers > 0 { values["offers"] = offers == 1 ? "1 waits in the inbox" : "\(offers) wait in the inbox" }
        return values
    }

    private static func words(_ page: PageHistory) -> String? {
        page.changes.sentence.map { "On the page of step \(page.step), \($0)." }
    }
}
