import MockBank
import TestSupport
import Testing

@Suite("The command for the mock bank")
struct MockBankCommandTests {
    @Test("lists the scenarios, and refuses unknown ones")
    func scenarios() async throws {
        let listed = try await CountersignProcess(["mockbank", "serve", "--list"]).run()
        #expect(listed.output.split(separator: "\n").count == Scenario.allCases.count)
        #expect(listed.output.contains("terms-to-accept"))
        #expect(try await CountersignProcess(["mockbank", "serve", "--scenario", "none"]).run().status == 2)
        #expect(try await CountersignProcess(["mockbank", "serve", "--scenario", "mixed-content"]).run().status == 2)
    }

    @Test("lists the behaviours of the FinTS server, and refuses unknown ones")
    func fints() async throws {
        let listed = try await CountersignProcess(["mockbank", "fints", "--list"]).run()
        #expect(listed.output.split(separator: "\n").count == FinTSScenario.allCases.count)
        #expect(try await CountersignProcess(["mockbank", "fints", "--scenario", "none"]).run().status == 2)
    }
}
