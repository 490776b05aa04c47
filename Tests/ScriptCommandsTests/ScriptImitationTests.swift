import Automation
import BankScript
import Foundation
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("A script that pretends to be for a known bank")
struct ScriptImitationTests {
    private static func script(
        _ id: String, _ name: String, at origin: String, isForTesting: Bool = false
    ) -> BankScript {
        BankScript(id, named: name, at: origin, isForTesting: isForTesting) { Open("/") }
    }

    private static let known = script("savings", "Northern Savings", at: "https://northern.example")

    /// Returns the warnings for a script on a phone that has accepted the known one.
    private func warnings(of script: BankScript, plugged: [BankScript] = []) throws -> [String] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let accepted = AcceptedScripts(home: folder.url)
        try accepted.accept(Self.known)
        return ScriptImitation(of: script, accepted: try accepted.all(), plugged: plugged).lines.map(\.text)
    }

    @Test(
        "is told by the bank that it reads like, and by where it goes instead",
        arguments: [
            ("savlngs", "Another name"), ("other", "Northern Savings"), ("other", "Nоrthern Ѕavings"),
            ("other", "NORTHERN-SAVINGS"), ("SAVINGS", "x"),
        ])
    func imitated(id: String, name: String) throws {
        let lines = try warnings(of: Self.script(id, name, at: "https://northem.example"))
        #expect(lines.count == 1)
        #expect(lines.first?.contains("“Northern Savings” (savings), which you accepted") == true)
        #expect(lines.first?.contains("never contacts https://northem.example") == true)
    }

    @Test("is not one for another bank, for the same origin, for a test, or another version")
    func others() throws {
        for script in [
            Self.script("other", "Southern Savings", at: "https://southern.example"),
            Self.script("other", "Northern Savings", at: "https://northern.example"),
            Self.script("other", "Northern Savings", at: "http://localhost:8444", isForTesting: true),
            Self.script("savings", "Northern Savings", at: "https://elsewhere.example"),
        ] {
            #expect(try warnings(of: script).isEmpty, "\(script.id) \(script.name)")
        }
    }

    @Test("is told also by a script that comes with the program")
    func plugged() throws {
        let script = Self.script("starling", "My bank", at: "https://collect.example")
        let real = Self.script("starling", "Starling", at: "https://api.starling.example.org")
        let lines = try warnings(of: script, plugged: [real])
        #expect(lines.count == 1)
        #expect(lines.first?.contains("(starling), which comes with this program") == true)
        let test = Self.script("starling", "Starling", at: "http://localhost:1", isForTesting: true)
        #expect(try warnings(of: script, plugged: [test]).isEmpty)
    }
}
