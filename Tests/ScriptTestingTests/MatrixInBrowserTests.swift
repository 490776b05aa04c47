import BankScript
import Foundation
import TestSupport
import Testing

@testable import ScriptTesting

@Suite("The matrix of a script in Chromium", .serialized)
struct MatrixInBrowserTests {
    private static let folder = Repository.file("BankScripts/DefaultBank")

    private static func subject(_ path: String) throws -> ScriptMatrix.Subject {
        let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        return ScriptMatrix.Subject(try BankScript(yaml: text, file: path), source: text)
    }

    @Test(
        "has the outcomes of the engine without JavaScript, except where a row says another", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func wholeMatrix() async throws {
        let file = Self.folder.appending(path: "meridian-savings.test.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let matrix = try ScriptMatrix(
            yaml: text, file: "test.yaml", of: try Self.subject("meridian-savings.yaml"), load: Self.subject)
        let report = try await MatrixRunner(simultaneous: 2, engine: .browser).run(matrix)
        #expect(report.failed.isEmpty, "\(report.table)")
    }

    @Test(
        "fetches the statements of apps by their fields and buttons", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: [
            ("json-bank", "json-bank-in-a-browser.yaml"), ("single-page-app", "single-page-app.yaml"),
            ("hostile-app", "single-page-app.yaml"), ("statement-as-page", "statement-as-page.yaml"),
        ])
    func apps(_ scenario: String, _ script: String) async throws {
        // The last month is further down than the list of a single-page app shows.
        let rows = """
            parameters: { month: 11, year: 2025 }
            scenarios:
              - \(scenario): statement
              - \(scenario): statement
                name: further down
                parameters: { month: 3, year: 2024 }
            """
        let matrix = try ScriptMatrix(
            yaml: rows, file: "test.yaml", of: try Self.subject("Variants/" + script), load: Self.subject)
        let report = try await MatrixRunner(simultaneous: 1).run(matrix)
        #expect(report.failed.isEmpty, "\(report.table)")
    }
}
