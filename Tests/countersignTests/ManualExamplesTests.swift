import Encodings
import Foundation
import TestSupport
import Testing

/// The manual pages are made from the program's help and from files of examples, which the packages need for every command.
@Suite("Examples for manual pages", .timeLimit(.minutes(2)))
struct ManualExamplesTests {
    @Test("exist for each command, and for nothing else")
    func whole() async throws {
        let root = try await ProgramCommand.help()
        let folder = Repository.file("Packaging/Manual")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == Set(Self.names(of: root).map { $0 + ".txt" }))
    }

    private static func names(of command: JSONValue, under path: String? = nil) -> [String] {
        let word = command["commandName"]?.stringValue ?? ""
        let name = path.map { "\($0)-\(word)" } ?? word
        let below = (command["subcommands"]?.arrayValue ?? []).filter { $0["commandName"] != "help" }
        return [name] + below.flatMap { names(of: $0, under: name) }
    }
}
