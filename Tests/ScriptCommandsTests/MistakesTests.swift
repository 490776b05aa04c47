import Foundation
import TestSupport
import Testing

/// Deliberate mistakes, and the messages that an author gets. Each message says where, what was seen, and what to do.
///
/// To write the messages anew after a change that is meant: `COUNTERSIGN_WRITE_MISTAKES=1 swift test --filter MistakesTests`,
/// then read every one that changed.
@Suite("What lint says about a mistake")
struct MistakesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Mistakes")

    private static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".yaml") }.sorted()
    }()

    /// Mistakes that may be meant as written, so that lint only warns.
    private static let warnings = ["49-curly-quotes.yaml", "50-selector-as-a-name.yaml"]

    @Test("there are at least forty") func enough() { #expect(Self.names.count >= 40) }

    @Test("each mistake has the message that was read and found good", arguments: names)
    func message(_ name: String) async throws {
        let outcome = try await CountersignProcess(["script", "lint", name], in: Self.folder).run()
        #expect(outcome.status == (Self.warnings.contains(name) ? 0 : 3))
        // What leaves, and the summary, are not about the mistake.
        let said = (outcome.output + outcome.errors).components(separatedBy: "What leaves, and where to\n")[0]
        let golden = Self.folder.appending(path: name.replacing(".yaml", with: ".txt"))
        if ProcessInfo.processInfo.environment["COUNTERSIGN_WRITE_MISTAKES"] != nil {
            try Data(said.utf8).write(to: golden)
        }
        #expect(said == (try String(contentsOf: golden, encoding: .utf8)))
        #expect(said.contains(/^(countersign: )?\d\d-[a-z-]+\.yaml:\d+/), "says where")
    }
}
