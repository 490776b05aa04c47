import Foundation
import TestSupport
import Testing

@Suite("countersign demo --assistant") struct AssistantDemoTests {
    @Test("goes from the sign-in to the deletion of everything", .timeLimit(.minutes(5)))
    func whole() async throws {
        let outcome = try await Program.run(["demo", "--assistant"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        for (who, count) in [("Telephone", 3), ("Browser", 3)] {
            #expect(lines.filter { $0.hasPrefix(who) }.count >= count, "\(outcome.output)")
        }
        for words in [
            "allows calendar.readonly and gmail.readonly", "opens the brief: Review with Ann",
            "a second look gets 404", "the old token gets 401", "Assistant deletes everything: DONE",
            "nothing of the user is left",
        ] { #expect(outcome.output.contains(words), "\(words): \(outcome.output)") }
        // The notices that a lock screen shows have no name in them.
        for line in lines where line.hasPrefix("Telephone") { #expect(!line.contains("Ann"), "\(line)") }
    }

    @Test("a month belongs to the other demo")
    func month() async throws {
        let outcome = try await Program.run(["demo", "--assistant", "--month", "3"])
        #expect(outcome.status == 64 || outcome.status == 2)
        #expect(outcome.errors.contains("belong to the demo without --assistant"))
    }
}
