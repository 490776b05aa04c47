import Foundation
import MockBank
import TestSupport
import Testing

@Suite("The command for the mock bank")
struct MockBankCommandTests {
    @Test("lists the scenarios, and refuses unknown ones")
    func scenarios() async throws {
        let listed = try await CountersignProcess(["script", "mockbank", "serve", "--list"]).run()
        #expect(listed.output.split(separator: "\n").count == Scenario.allCases.count)
        #expect(listed.output.contains("terms-to-accept"))
        #expect(try await CountersignProcess(["script", "mockbank", "serve", "--scenario", "none"]).run().status == 2)
        #expect(
            try await CountersignProcess(["script", "mockbank", "serve", "--scenario", "mixed-content"]).run().status
                == 2)
    }

    @Test("writes the key of Enable Banking's application once, and for no other scenario")
    func key() async throws {
        try await TemporaryFolder.with(["taken.pem": "mine"]) { folder in
            for (scenario, file, words) in [
                ("enable-banking", "taken.pem", "taken.pem exists already"),
                ("monzo", "new.pem", "for the scenarios of Enable Banking"),
            ] {
                let refused = try await CountersignProcess(
                    ["script", "mockbank", "serve", "--scenario", scenario, "--key", file], in: folder
                ).run()
                #expect(refused.status == 2 && refused.all.contains(words), "\(refused.all)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == ["taken.pem"])
            #expect(try Data(contentsOf: folder.appending(path: "taken.pem")) == Data("mine".utf8))
        }
    }

    @Test("lists the behaviours of the FinTS server, and refuses unknown ones")
    func fints() async throws {
        let listed = try await CountersignProcess(["script", "mockbank", "fints", "--list"]).run()
        #expect(listed.output.split(separator: "\n").count == FinTSScenario.allCases.count)
        #expect(try await CountersignProcess(["script", "mockbank", "fints", "--scenario", "none"]).run().status == 2)
    }
}
