import ArgumentParser
import Testing

@testable import BrokerCommands

@Suite("The command that asks")
struct RequestCommandTests {
    @Test(
        "advises an account where several phones have the bank, and another bank where they have the account, too",
        arguments: [
            (["2026-01"], "name their account with --account."),
            (["2026-01", "--account", "Giro"], "let the other person's script say another bank."),
        ])
    func hint(arguments: [String], way: String) throws {
        let hint = try RequestCommand.parse(arguments).hint(ofPhones: 2)
        #expect(hint.contains("on 2 phones") && hint.hasSuffix(way), "\(hint)")
    }
}
