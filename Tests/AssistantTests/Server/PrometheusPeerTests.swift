import Foundation
import TestSupport
import Testing

@testable import Assistant

@Suite("Prometheus reads the metrics, and the alarms do what they promise") struct PrometheusPeerTests {
    private static let promtool = URL(filePath: "/usr/bin/promtool")
    private static let rules = "Packaging/prometheus/countersign-assistant.rules.yml"

    @Test("every metric of an alarm is there from the start")
    func names() async throws {
        let text = try String(contentsOf: Repository.file(Self.rules), encoding: .utf8)
        let names = Set(text.matches(of: /countersign_assistant_[a-z_]+/).map { String($0.output) })
        #expect(names.count >= 6)
        try await AssistantStage().run { stage in
            let metrics = try await MetricsAPITests.text(stage).1.split(separator: "\n")
            for name in names {
                #expect(metrics.contains { $0.hasPrefix(name + "{") || $0.hasPrefix(name + " ") }, "\(name)")
            }
            // An outcome that an alarm names must be one that is counted.
            for match in text.matches(of: /outcome=~?"([a-z_|]+)"/) {
                for outcome in match.output.1.split(separator: "|") {
                    #expect(metrics.contains { $0.contains("outcome=\"\(outcome)\"") }, "\(outcome)")
                }
            }
        }
    }

    @Test(
        "promtool takes the metrics and the alarms, and the alarms' tests pass",
        .enabled(if: FileManager.default.fileExists(atPath: promtool.path), "Prometheus is not installed"),
        .timeLimit(.minutes(4)))
    func takesAlarms() async throws {
        try await AssistantStage().run { stage in
            let metrics = Data(try await MetricsAPITests.text(stage).1.utf8)
            let checked = try await ChildProcess.run(Self.promtool, ["check", "metrics"], input: metrics)
            #expect(checked.status == 0, "\(checked.text)")
            let rules = Repository.file(Self.rules)
            let tests = rules.deletingLastPathComponent().appending(path: "countersign-assistant.rules.test.yml")
            let tested = try await ChildProcess.run(Self.promtool, ["test", "rules", tests.path])
            #expect(tested.status == 0, "\(tested.text)")
            let valid = try await ChildProcess.run(Self.promtool, ["check", "rules", rules.path])
            #expect(valid.status == 0 && valid.text.contains("9 rules found"), "\(valid.text)")
        }
    }
}
