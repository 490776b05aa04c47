import Foundation
import ScriptCommands
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("The files that a household cannot use")
struct NotOfferedTests {
    private func words(_ files: [String: String]) throws -> [String] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(name)) }
        let options = try ScriptFolderOptions.parse(["--scripts", folder.url.path])
        let setup = HouseholdSetup(
            file: folder.appending("config.json"), folder: folder.appending("data"), scripts: options)
        return try setup.notOffered(try options.registry(home: folder.appending("home")))
    }

    private static let bank = "bank: x\nname: Bank\norigins: [https://bank.example]\nsteps:\n  - download: PDF\n"

    @Test("are named, each with its reason")
    func named() throws {
        let words = try words(["a.yaml": Self.bank + "testing: true\n", "b.yaml": "bank: [\n"])
        #expect(words.count == 2, "\(words)")
        #expect(words.contains { $0.contains("b.yaml is not a valid script") && $0.hasSuffix("b.yaml") }, "\(words)")
        #expect(words.contains { $0.contains("“x” is for testing") && $0.contains("leave that line out") })
    }

    @Test("leave out each one that can be used")
    func none() throws {
        #expect(try words(["a.yaml": Self.bank]) == [])
    }
}
