import ArgumentParser
import Testing

@testable import BrokerCommands

@Suite("The command that asks")
struct RequestCommandTests {
    @Test(
        "advises an account where several phones have the bank, and another bank where they have the account, too",
        arguments: [
            (["2026-01"], true, "name their account with --account."),
            (["2026-01"], false, "let the other person's script say another bank."),
            (["2026-01", "--account", "Giro"], true, "let the other person's script say another bank."),
        ])
    func hint(arguments: [String], hasAccounts: Bool, way: String) throws {
        let hint = try RequestCommand.parse(arguments).hint(ofPhones: 2, hasAccounts: hasAccounts)
        #expect(hint.contains("on 2 phones") && hint.hasSuffix(way), "\(hint)")
    }

    @Test(
        "says that a month alone brings one account's statement of several",
        arguments: [
            (["2026-01"], true), (["2026-01", "--account", "Giro"], false),
            (["--from", "2026-01", "--to", "2026-01"], false),
            (["2026-01", "--kinds", "pdf"], false), (["2026-01", "--refetch"], false),
        ])
    func monthAlone(arguments: [String], isAlone: Bool) throws {
        #expect(try RequestCommand.parse(arguments).isMonthAlone == isAlone)
        #expect(RequestCommand.hint(ofAccounts: 1) == nil)
        #expect(RequestCommand.hint(ofAccounts: 3)?.contains("the bank has 3") == true)
    }
}
