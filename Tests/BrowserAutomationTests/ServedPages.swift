import BankScript
import Foundation
import HTMLEngine
import Markup
import MockBank
import ScriptTesting
import Synchronization
import TestSupport

/// The pages that mock banks have made. Those of one template with the same controls count as one page.
final class ServedPages: Sendable {
    struct Page: Sendable {
        let template: String
        let html: String

        /// The page without what makes it leave by itself, so that it can be looked at for as long as it takes.
        var staying: String {
            html.replacing("http-equiv=\"refresh\"", with: "").replacing(" onload=", with: " data-onload=")
        }
    }

    private let made = Mutex<[Page]>([])

    func add(_ template: String, _ html: String) { made.withLock { $0.append(Page(template: template, html: html)) } }

    /// Takes the scripts of the matrix through every scenario of the mock bank, without a browser.
    ///
    /// - Returns: the scenarios of the matrix, and the rows with another outcome than they declare.
    func visitEveryScenario() async throws -> (scenarios: Set<Scenario>, failed: [String]) {
        let folder = Repository.file("BankScripts/DefaultBank")
        func subject(_ path: String) throws -> ScriptMatrix.Subject {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            return ScriptMatrix.Subject(try BankScript(yaml: text, file: path), source: text)
        }
        let text = try String(contentsOf: folder.appending(path: "meridian-savings.test.yaml"), encoding: .utf8)
        let matrix = try ScriptMatrix(
            yaml: text, file: "test.yaml", of: try subject("meridian-savings.yaml"), load: subject)
        var runner = MatrixRunner(simultaneous: 2)
        runner.onPage = { [self] in add($0, $1) }
        let report = try await runner.run(matrix)
        return (Set(matrix.rows.compactMap(\.scenario)), report.failed.map(\.row.name))
    }

    /// Every page once, in a stable order. A page counts by its template, and the kinds and names of its controls.
    func distinct() throws -> [Page] {
        var seen: Set<[String]> = []
        return try made.withLock { $0 }.filter { page in
            let document = try Document.parse(Array(page.html.utf8), contentType: "text/html; charset=utf-8")
            return seen.insert([page.template] + document.controlMarks).inserted
        }.sorted { $0.template < $1.template }
    }
}

extension Document {
    /// A text for each different control that a script can name: its kind, its tag, type and name, and its accessible name.
    var controlMarks: [String] {
        Set(
            comparableControls.map { element, kind in
                let parts = [element.name, element[attribute: "type"], element[attribute: "name"]]
                return "\(kind) \(parts.map { $0 ?? "" }) \(element.accessibleName)"
            }
        ).sorted()
    }
}
