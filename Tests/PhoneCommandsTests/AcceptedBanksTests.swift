import Automation
import Foundation
import ScriptCommands
import Terminal
import TestSupport
import Testing

@testable import PhoneCommands

@Suite("The banks that get credentials at the terminal")
struct AcceptedBanksTests {
    @Test(
        "have a script that is accepted; a plugged-in one does beside a file that is not",
        arguments: [("default", false), ("northern", true), ("unknown", false)])
    func accepted(bank: String, isRefused: Bool) throws {
        let (folder, home) = (try TemporaryFolder(), try TemporaryFolder())
        let shipped = try String(
            contentsOf: Repository.file("BankScripts/DefaultBank/meridian-savings.yaml"), encoding: .utf8)
        for id in ["default", "northern"] {
            let text = shipped.replacing("bank: default\n", with: "bank: \(id)\n").replacing("Meridian", with: "Our")
            try Data(text.utf8).write(to: folder.url.appending(path: "\(id).yaml"))
        }
        let options = try ScriptFolderOptions.parse(["--scripts", folder.url.path])
        func check() throws { try options.checkIsAccepted(bank, in: home.url) }
        if isRefused {
            let refusal = #expect(throws: CommandFailure.self) { try check() }
            #expect(refusal?.message.contains("\(bank).yaml") == true, "\(String(describing: refusal))")
            let script = try #require(try options.script(ofBank: bank))
            try AcceptedScripts(home: home.url).accept(script)
        }
        try check()
    }
}
