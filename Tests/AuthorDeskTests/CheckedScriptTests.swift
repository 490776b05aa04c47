import Authoring
import BankScript
import Testing

@testable import AuthorDesk

@Suite("What the locators of a text find on a recorded page")
struct CheckedScriptTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var steps: String
        /// The outcome of each locator, as the gutter shows it, with its line.
        var expected: [String]
        var testDescription: String { steps }
    }

    private func checked(_ text: String, on html: String = MadeRecording.list) throws -> CheckedScript {
        let page = try #require(RecordedPages(MadeRecording.of([html])).page(0))
        return CheckedScript(text, file: "mine.yaml", on: page, plugged: .standard) { script in
            let all: [String: ParameterValue] = ["month": 1, "year": 2026]
            return all.filter { value in script.parameters.contains { $0.name == value.key } }
        }
    }

    private func words(_ mark: LocatorMark) -> String {
        let outcome =
            switch mark.outcome {
            case .found(let numbers): "\(numbers.count)"
            case .waits(let names): "waits for \(names.joined(separator: " "))"
            case .invalid: "invalid"
            }
        return "\(mark.mark.line): \(outcome)" + (mark.way > 1 ? " by way \(mark.way)" : "")
    }

    @Test(
        "is said line by line",
        arguments: [
            Case(steps: "- follow: Next\n- download: PDF", expected: ["5: 1", "6: 2"]),
            Case(steps: "- follow: Nowhere\n- download: PDF", expected: ["5: 0", "6: 2"]),
            Case(
                steps: "- fill: { Username: $username, Password: $password }\n- press: Show\n- download: PDF",
                expected: ["5: 1", "5: 1", "6: 1", "7: 2"]),
            // A step after a search looks inside the row.
            Case(
                steps:
                    "- search: { rows: \"{{ month.name }} {{ year }}\", next: Next, at most: 2 pages }\n- download: PDF",
                expected: ["5: 1", "5: 1", "6: 1"]),
            Case(
                steps: "- search:\n    rows: March 2026\n    next: Next\n    at most: 2 pages\n- download: PDF",
                expected: ["6: 0", "7: 1", "9: 0"]),
            Case(
                steps: "- follow: { any: [{ link: Weiter }, { link: Next }] }\n- download: PDF",
                expected: ["5: 1 by way 2", "6: 2"]),
            Case(steps: "- press: { css: \"a[\" }\n- download: PDF", expected: ["5: invalid", "6: 2"]),
            Case(
                steps: "- capture: { name: { css: h1 } }\n- follow: \"{{ name }}\"\n- download: PDF",
                expected: ["5: 1", "6: waits for name", "7: 2"]),
            Case(
                steps: "- when: { shows: { heading: Statements } }\n  then:\n    - follow: Next\n- download: PDF",
                expected: ["5: 1", "7: 1", "8: 2"]),
            Case(steps: "- expect: { shows: { row: January 2026 } }\n- download: PDF", expected: ["5: 1", "6: 2"]),
        ])
    func marks(_ one: Case) throws {
        let checked = try checked(MadeRecording.script(one.steps))
        #expect(checked.script != nil, "\(checked.findings)")
        #expect(checked.marks.map(words) == one.expected, "\(checked.findings)")
    }

    @Test(
        "is nothing for a text that is not a script; then lint says where",
        arguments: [
            ("", 1), ("steps: [", 2), ("\u{0}", 1), (String(repeating: "[", count: 5000), 1),
            ("bank: mine\nname: Mine\norigins: [https://bank.example]\nsteps:\n  - folow: Next", 5),
            ("a: &a [*a, *a]", 1), ("- <script>alert(1)</script>", 1),
        ])
    func broken(text: String, line: Int) throws {
        let checked = try checked(text)
        #expect(checked.script == nil && checked.marks.isEmpty)
        #expect(checked.findings.count == 1 && checked.findings[0].severity == .error)
        #expect(checked.findings[0].mark?.line == line, "\(checked.findings)")
    }

    @Test("may be nothing for a step that declares a failure or asks for a condition")
    func optional() throws {
        let steps = """
            - fail: { BANK_LOGIN_FAILED: .error }
            - when: { shows: { heading: Nowhere } }
              then:
                - follow: Nowhere
            - download: PDF
            """
        #expect(try checked(MadeRecording.script(steps)).marks.map(\.mayFindNothing) == [true, true, false, false])
    }

    @Test("of an element is a list of locators that find nothing else, each with a step")
    func candidates() throws {
        let page = try #require(RecordedPages(MadeRecording.of([MadeRecording.list])).page(0))
        func steps(_ name: String, _ place: Int = 0) -> [String] {
            let found = page.elements.filter { $0.name == name }
            return ElementCandidates(found[place], on: page).all.map(\.step)
        }
        #expect(steps("a", 2).first == "- follow: Next")
        #expect(steps("button").first == "- press: Show")
        #expect(
            steps("select").first == "- choose: { Year: 2025 }"
                || steps("select").first == "- choose: { Year: \"2025\" }")
        #expect(steps("input").first == "- fill: { Username: $username }")
        #expect(steps("input", 1).first == "- fill: { Password: $password }")
        #expect(steps("a", 1).first?.contains("in: February 2026 PDF") == true, "\(steps("a", 1))")
        for element in page.elements {
            for step in ElementCandidates(element, on: page).all.map(\.step) {
                let script = try BankScript(yaml: MadeRecording.script(step + "\n- download: PDF"), file: "mine.yaml")
                let locator = try #require(ScriptLint.locators(in: script).first?.locator)
                #expect(try page.document.elements(locator) == [element], "\(step)")
            }
        }
    }
}
