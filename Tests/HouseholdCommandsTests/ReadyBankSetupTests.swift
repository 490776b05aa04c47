import ArgumentParser
import Foundation
import ReadyBanks
import ScriptCommands
import Terminal
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("A household with a ready bank")
struct ReadyBankSetupTests {
    @Test("gets a copy of its script, which is read before anything else is made", arguments: ReadyBank.all)
    func copied(bank: ReadyBank) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var setup = HouseholdSetup(
            file: folder.appending("config.json"), folder: folder.appending("data"), bank: bank.id,
            scripts: try ScriptFolderOptions.parse([]))
        let failure = await #expect(throws: CommandFailure.self) { try await setup.make(.both) }
        let file = folder.appending("data/scripts/\(bank.fileName)")
        #expect(try String(contentsOf: file, encoding: .utf8) == bank.text)
        #expect(failure?.message.contains("countersign script accept") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains(bank.fileName) == true)
        #expect(!FileManager.default.fileExists(atPath: folder.appending("config.json").path))
    }

    @Test(
        "names the command for the owner's yes where the bank wants one, as its preparations do",
        arguments: ReadyBank.all)
    func connecting(bank: ReadyBank) throws {
        let command = "countersign phone banks connect \(bank.id)"
        let words = HouseholdStart.wordsOnConnecting(try bank.script())
        #expect((words?.hasSuffix(command) == true) == bank.preparations.contains { $0.contains(command) })
        #expect((words == nil) == (try bank.script().exchange?.needsOwner != true))
    }
}
