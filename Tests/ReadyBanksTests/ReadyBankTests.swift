import BankScript
import Foundation
import TestSupport
import Testing

@testable import ReadyBanks

@Suite("The banks that are ready")
struct ReadyBankTests {
    @Test("have the scripts of their folders, which pass lint, and a guide", arguments: ReadyBank.all)
    func shipped(bank: ReadyBank) throws {
        let script = try bank.script()
        #expect(script.id == bank.id)
        #expect(ScriptLint.findings(in: script).isEmpty)
        // The one statement of a bank without this is a PDF, so an agent could ask such a bank for nothing.
        #expect(!script.forEachPeriod.isEmpty)
        let folders = try FileManager.default.contentsOfDirectory(atPath: Repository.file("BankScripts").path)
        let texts = folders.filter { $0 != "ReadyBanks" }.compactMap {
            try? String(contentsOf: Repository.file("BankScripts/\($0)/\(bank.fileName)"), encoding: .utf8)
        }
        #expect(texts == [bank.text])
        let guide = try String(contentsOf: Repository.file("docs/bank-\(bank.id).md"), encoding: .utf8)
        #expect(guide.contains("tried against a fake, not yet against the provider"))
        #expect(!bank.preparations.isEmpty && bank.preparations[0].contains("https://"))
    }

    @Test("are all that have a folder, in the order of their ids")
    func complete() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Repository.file("BankScripts").path)
        let own = folders.filter { !["DefaultBank", "ReadyBanks", "README.md"].contains($0) }
        #expect(own.count == ReadyBank.all.count)
        #expect(ReadyBank.all.map(\.id) == ReadyBank.all.map(\.id).sorted())
    }
}
