import Foundation
import KeyVault
import Messages
import Phone
import PhoneStore
import WebURL

/// The values of the page of programs elsewhere. Their names and addresses are a stranger's words.
struct ClientsView {
    let list: ClientList
    /// The banks that a program can be limited to.
    let banks: [(id: String, name: String)]
    let slots: [KeySlot]
    let csrf: String

    var values: [String: Any] {
        let needsBoth = slots.contains(where: \.needsBoth)
        return [
            "waiting": list.waiting.map { client in
                var values: [String: Any] = [
                    "id": client.id.description, "csrf": csrf,
                    "returnsTo": ReportText.cleaned(client.returnsTo, limit: 200),
                    "suggestion": Self.suggestion(client.name, among: list.allowed),
                    "hasBanks": !banks.isEmpty,
                    "banks": banks.map { ["bank": $0.id, "called": $0.name] },
                    "kinds": DocumentKind.allCases.map { ["kind": $0.rawValue, "text": $0.rawValue.uppercased()] },
                    "byPasskey": !needsBoth && slots.contains { !$0.isPassphrase },
                    "byPassphrase": !needsBoth, "both": needsBoth,
                ]
                values["name"] = client.name.map { ReportText.cleaned($0, limit: WaitingClient.longestName) }
                values["site"] = Self.site(of: client.clientID)
                return values
            },
            "hasAllowed": !list.allowed.isEmpty,
            "allowed": list.allowed.map { client in
                var values: [String: Any] = [
                    "agent": client.agent.description, "csrf": csrf,
                    "returnsTo": ReportText.cleaned(client.returnsTo, limit: 200),
                    "limits": words(client.limits), "since": PageViews.moment(client.allowedAt.date),
                ]
                values["name"] = client.name.map { ReportText.cleaned($0, limit: WaitingClient.longestName) }
                values["used"] = client.usedAt.map { PageViews.moment($0.date) }
                return values
            },
        ]
    }

    /// Returns the host that vouches for a program's description; nil for a program that describes itself.
    static func site(of clientID: String) -> String? {
        guard clientID.hasPrefix("https://"), let host = (try? URLRecord(parsing: clientID))?.host?.description else {
            return nil
        }
        return ReportText.cleaned(host, limit: 200)
    }

    /// Returns a name that no allowed program has.
    static func suggestion(_ name: String?, among allowed: [AllowedClient]) -> String {
        let letters = (name ?? "").lowercased().unicodeScalars.map { scalar -> Character in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) ? Character(scalar) : "-"
        }
        let word = String(letters).split(separator: "-").joined(separator: "-").prefix(32)
        let first = word.isEmpty ? "assistant" : String(word)
        let taken = Set(allowed.map(\.agent.description))
        let names = [first] + (2...99).map { "\(first)-\($0)" }
        return names.first { !taken.contains($0) && AgentName($0) != nil } ?? "assistant"
    }

    private func words(_ limits: ClientLimits) -> String {
        let names = Dictionary(banks.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        let chosen = limits.banks?.map { names[$0] ?? $0 }.joined(separator: ", ") ?? PageText.of("client.every-bank")
        let kinds =
            limits.kinds?.map { $0.rawValue.uppercased() }.joined(separator: ", ") ?? PageText.of("client.every-kind")
        let rate =
            limits.perDay.map {
                $0 == 1
                    ? PageText.of("client.one-a-day") : PageText.of("client.many-a-day", ["count": String($0)])
            } ?? PageText.of("client.any-number")
        return "\(chosen) · \(kinds) · \(rate)"
    }
}
