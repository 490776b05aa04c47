import BankScript
import Foundation
import TestSupport
import Testing

/// Two people at one broker, each with a phone and a bank: real programs with a home each.
@Suite("Two people with a phone and a bank each", .timeLimit(.minutes(3)))
struct TwoPhonesTests {
    @Test("a request goes only to the phone that has its bank, and the other one can neither see nor decide it")
    func apart() async throws {
        let stage = try await PairingStage()
        let (ada, bob) = (stage.home("ada"), stage.home("bob"))
        let scripts = try await Self.southernBank(of: bob, stage)
        let south = ["--scripts", scripts.path]
        try await stage.serving { _ in
            _ = try await stage.pair(ada) { [$0.uri] }
            _ = try await stage.pair(bob) { [$0.uri, "--bank", "south"] + south }
            try await stage.linkToken(ada)
            try await stage.linkToken(bob, bank: "south")
            // A phone tells its banks at its first look.
            #expect(try await stage.phone(ada, ["pending"]).status == 0)
            #expect(try await stage.phone(bob, ["pending"] + south).status == 0)
            let banks = try await Program.run(["banks"], environment: stage.environment)
            #expect(banks.output.contains("default") && banks.output.contains("south"), "\(banks)")

            let first = try await stage.request(month: 1, year: 2026)
            let second = try await stage.request(month: 2, year: 2026, bank: "south")
            for (home, own, other, options) in [(ada, first, second, []), (bob, second, first, south)] {
                let pending = try await stage.phone(home, ["pending", "--json"] + options)
                #expect(pending.output.contains(own) && !pending.output.contains(other), "\(pending)")
                for action in ["approve", "deny"] {
                    let refused = try await stage.phone(home, [action, other] + options)
                    #expect(refused.status != 0, "\(action): \(refused)")
                }
                #expect(try await stage.status(of: other, isFinal: false) == "PENDING_APPROVAL")
            }
            // No id is needed: one request waits on each phone.
            for (home, own, options) in [(ada, first, []), (bob, second, south)] {
                let approved = try await stage.phone(home, ["approve", "--bank-at", stage.bank.url] + options)
                #expect(approved.status == 0 && approved.output.contains(", as \(own)"), "\(approved)")
                #expect(try await stage.status(of: own) == "COMPLETED")
            }
            for (home, other) in [(ada, second), (bob, first)] {
                let files = try FileManager.default.subpathsOfDirectory(atPath: home.path)
                let named = files.filter { name in
                    guard let data = try? Data(contentsOf: home.appending(path: name)) else { return false }
                    return data.range(of: Data(other.utf8)) != nil
                }
                #expect(named.isEmpty, "nothing of the other's request is in this home")
            }
        }
    }

    /// Makes a folder with another bank's script, and accepts it for one phone.
    private static func southernBank(of home: URL, _ stage: PairingStage) async throws -> URL {
        let scripts = stage.broker.root.appending(path: "scripts", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        let own = try String(
            contentsOf: Repository.file("BankScripts/DefaultBank/meridian-savings.yaml"), encoding: .utf8)
        let file = scripts.appending(path: "south.yaml")
        let text = own.replacing("bank: default", with: "bank: south")
            .replacing("name: Meridian Savings", with: "name: Southern Savings")
        try Data(text.utf8).write(to: file)
        let digest = try BankScript(yaml: text, file: "south.yaml").digest.hex
        try FileManager.default.createDirectory(
            at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let accepted = try await Program.run(["script", "accept", file.path, "--digest", digest, "--home", home.path])
        try #require(accepted.status == 0, "\(accepted)")
        return scripts
    }
}
