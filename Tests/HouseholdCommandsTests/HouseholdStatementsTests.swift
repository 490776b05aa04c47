import Foundation
import Terminal
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("The answer to the question for the statements' folder")
struct HouseholdStatementsTests {
    @Test(
        "is a path, also in the quotes of a folder that was dragged into the terminal",
        arguments: [
            ("", "~/Documents/Statements"), (" ~/Auszüge ", "~/Auszüge"), ("none", "none"),
            ("'/home/ada/My statements'", "/home/ada/My statements"), ("\"~/Auszüge\"", "~/Auszüge"), ("'", "'"),
            ("./yes", "./yes"),
        ])
    func path(answer: String, path: String) throws {
        #expect(try HouseholdStatements.path(answered: answer) == path)
    }

    @Test("is asked for again where it answers yes or no", arguments: ["y", "Yes", " n", "nein", "OUI"])
    func yes(answer: String) {
        #expect(throws: CommandFailure.self) { try HouseholdStatements.path(answered: answer) }
    }

    @Test("that is missing or cannot be written is told, and one that is there is not")
    func trouble() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = temporary.url.appending(path: "statements")
        func trouble() -> String? { HouseholdStatements.trouble(with: folder) }
        #expect(trouble()?.contains("\(folder.path), is missing") == true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(trouble() == nil)
        #expect(HouseholdStatements.trouble(with: nil) == nil)
    }
}
