import Messages
import Testing

@testable import BrokerCommands

@Suite("The table of banks")
struct BanksTableTests {
    @Test("fits 80 columns, with the kinds and accounts of each bank")
    func narrow() throws {
        let accounts = ["Everyday", "Holiday Pot", "A savings account with quite a long alias"].compactMap(
            AccountAlias.init)
        let lines = BanksListCommand.table(
            of: [
                try #require(
                    OfferedBank(
                        bankID: "default", name: "Meridian Savings", kinds: [.pdf, .csv], accounts: accounts)),
                try #require(OfferedBank(bankID: "other", name: "Other Bank")),
            ]
        ).lines(width: 80).map(\.text)
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
        #expect(lines[0].hasPrefix("ID       BANK              KINDS     RANGE    ACCOUNTS"), "\(lines[0])")
        #expect(
            lines[1].hasPrefix("default  Meridian Savings") && lines[1].contains("Everyday, Holiday Pot"), "\(lines[1])"
        )
        #expect(lines[2].hasPrefix("other    Other Bank"))
    }
}
