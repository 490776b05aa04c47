import BankScript
import Foundation
import Messages
import Testing

@testable import ApprovalPage

@Suite("The form for asking")
struct AskViewTests {
    private static func script(isMonthly: Bool) -> BankScript {
        guard isMonthly else {
            return BankScript("bank", named: "Bank", at: "https://bank.example") { Download("PDF") }
        }
        return BankScript("bank", named: "Bank", at: "https://bank.example") {
            Open("/")
        } forEachPeriod: {
            Download("PDF")
            Download("CSV", as: .csv)
        }
    }

    private static func values(isMonthly: Bool, accounts: [AccountAlias] = [], chosen: Set<AccountAlias>? = nil)
        -> [String: Any]
    {
        AskView(
            script: script(isMonthly: isMonthly), accounts: accounts, now: Date(timeIntervalSince1970: 1_800_000_000),
            choice: AskView.Choice(from: "2026-11", to: "2026-12", kinds: [.csv], accounts: chosen), csrf: "token"
        ).values
    }

    private static func ticked(_ rows: Any?, _ name: String) -> [String: Bool] {
        let rows = rows as? [[String: Any]] ?? []
        return Dictionary(
            uniqueKeysWithValues: rows.map { ($0[name] as? String ?? "", $0["selected"] as? Bool ?? false) })
    }

    @Test("has ten years of months, the latest first, with the chosen ones")
    func months() throws {
        let months = try #require(Self.values(isMonthly: true)["months"] as? [[String: Any]])
        #expect(months.count == 120)
        #expect(
            months.first?["text"] as? String == "January 2027" && months.last?["text"] as? String == "February 2017")
        #expect(months.filter { $0["from"] as? Bool == true }.map { $0["value"] as? String } == ["2026-11"])
        #expect(months.filter { $0["to"] as? Bool == true }.map { $0["value"] as? String } == ["2026-12"])
    }

    @Test("offers kinds and accounts where the bank has several")
    func several() throws {
        let accounts = try ["Giro", "Savings"].map { try #require(AccountAlias($0)) }
        let all = Self.values(isMonthly: true, accounts: accounts)
        #expect(Self.ticked(all["kinds"], "kind") == ["csv": true, "pdf": false])
        #expect(Self.ticked(all["accounts"], "alias") == ["Giro": true, "Savings": true])
        let one = Self.values(isMonthly: true, accounts: accounts, chosen: [accounts[1]])
        #expect(Self.ticked(one["accounts"], "alias") == ["Giro": false, "Savings": true])
        let single = Self.values(isMonthly: false, accounts: accounts)
        #expect((single["kinds"] as? [Any])?.isEmpty == true && (single["accounts"] as? [Any])?.isEmpty == true)
    }
}
