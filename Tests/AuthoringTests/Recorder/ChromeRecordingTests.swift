import BankScript
import Encodings
import Foundation
import Testing

@testable import Authoring

@Suite("A script drafted from a recording of Chrome's Recorder")
struct ChromeRecordingTests {
    /// A visit as the Recorder of Chrome exports it, with the selectors that it writes.
    static let visit = #"""
        {
          "title": "Recording 11/23/2026 at 9:41:00 PM",
          "steps": [
            { "type": "setViewport", "width": 1280, "height": 720, "deviceScaleFactor": 1, "isMobile": false, "hasTouch": false, "isLandscape": false },
            { "type": "navigate", "url": "https://kim:hunter2222@www.beispielbank.example/login?lang=de&session=0815#top",
              "assertedEvents": [{ "type": "navigation", "url": "https://www.beispielbank.example/login", "title": "Anmelden | Beispielbank" }] },
            { "type": "click", "target": "main", "offsetX": 1, "offsetY": 1,
              "selectors": [["aria/Anmeldename"], ["#user"], ["xpath///*[@id=\"user\"]"], ["pierce/#user"]] },
            { "type": "change", "value": "kim.muster", "target": "main",
              "selectors": [["aria/Anmeldename"], ["#user"], ["xpath///*[@id=\"user\"]"], ["pierce/#user"]] },
            { "type": "keyDown", "key": "Tab", "target": "main" },
            { "type": "keyUp", "key": "Tab", "target": "main" },
            { "type": "change", "value": "geheim-123", "target": "main",
              "selectors": [["aria/PIN"], ["#pin"], ["xpath///*[@id=\"pin\"]"], ["pierce/#pin"]] },
            { "type": "click", "target": "main", "offsetX": 1, "offsetY": 1,
              "selectors": [["aria/Anmelden", "aria/[role=\"generic\"]"], ["#login > button > span"], ["xpath///*[@id=\"login\"]/button"], ["text/Anmelden"]],
              "assertedEvents": [{ "type": "navigation", "url": "https://www.beispielbank.example/tan", "title": "TAN | Beispielbank" }] },
            { "type": "change", "value": "654321", "target": "main", "selectors": [["aria/TAN"], ["input[name=tan]"]] },
            { "type": "click", "target": "main", "offsetX": 1, "offsetY": 1, "selectors": [["aria/Weiter[role=\"button\"]"], ["form > button"]] },
            { "type": "click", "target": "main", "offsetX": 1, "offsetY": 1, "selectors": [["aria/Postfach"], ["nav > a:nth-of-type(2)"]],
              "assertedEvents": [{ "type": "navigation", "url": "https://dokumente.beispielbank.example/", "title": "Postfach | Beispielbank" }] },
            { "type": "change", "value": "2007", "target": "main", "selectors": [["aria/Jahr"], ["select[name=jahr]"]] },
            { "type": "scroll", "target": "main", "x": 0, "y": 400 },
            { "type": "click", "target": "main", "offsetX": 1, "offsetY": 1, "selectors": [["aria/Kontoauszug März 2007"], ["tr:nth-of-type(3) a"]] },
            { "type": "click", "target": "main", "offsetX": 1, "offsetY": 1, "selectors": [["aria/Abmelden"], ["a.logout"]] }
          ]
        }
        """#

    static func draft(_ text: String) throws -> ScriptDraft {
        try ScriptDraft(recording: StepRecording(reading: Array(text.utf8)))
    }

    /// Returns the draft's steps without comments, and checks that it reads and lints.
    static func steps(_ draft: ScriptDraft) throws -> String {
        let again = try BankScript(yaml: draft.yaml, file: "draft.yaml")
        #expect(again.digest == draft.script.digest)
        #expect(!ScriptLint.findings(in: again).contains { $0.severity == .error }, "\(draft.yaml)")
        let lines = draft.yaml.split(separator: "\n").filter { !$0.contains("#") }
        return (lines.drop { $0 != "steps:" }.joined(separator: "\n"))
    }

    @Test("has credentials, a second factor, the month and the sign-out")
    func whole() throws {
        let draft = try Self.draft(Self.visit)
        let steps = try Self.steps(draft)
        #expect(
            steps == """
                steps:
                  - open: "/login?lang=de"
                  - fill: { Anmeldename: $username, PIN: $password }
                  - press: Anmelden
                  - second factor: { field: TAN, from: [vault, person], within: 2 min, tries: 3 }
                  - follow: Postfach
                  - choose: { Jahr: "{{ year }}" }
                  - download: "Kontoauszug {{ month.name }} {{ year }}"
                finally:
                  - follow: Abmelden
                """)
        #expect(draft.script.locale == "de")
        #expect(draft.script.name == "Beispielbank")
        #expect(
            draft.script.origins == ["https://www.beispielbank.example", "https://dokumente.beispielbank.example"])
        #expect(draft.parameters == ["month": 3, "year": 2007])
        for typed in ["kim", "geheim", "hunter", "654321", "0815"] { #expect(!draft.yaml.contains(typed), "\(typed)") }
    }

    @Test("asks one numbered question for each thing that the recording does not tell")
    func questions() throws {
        let draft = try Self.draft(Self.visit)
        let asked = draft.yaml.matches(of: /Question (\d+): ([^\n]*)/)
        #expect(asked.map { String($0.1) } == ["1", "2"])
        #expect(asked.first?.2.hasPrefix("Does the address need “session”?") == true, "\(draft.yaml)")
        #expect(asked.last?.2.hasPrefix("What does the page show after a wrong password?") == true)
        let check = draft.review(as: "recording")
        #expect(check.outcome == .notReplayable(source: "recording"))
        #expect(check.text.contains("Answer the 2 questions in the draft's comments."), "\(check.text)")
    }

    private static func flow(_ steps: String) -> String {
        #"{ "title": "t", "steps": [{ "type": "navigate", "url": "https://b.example/" }, "# + steps + "] }"
    }

    /// A part of a recording, a line of its draft, and a part of the question about it.
    private static let parts: [(String, String, String?)] = [
        (
            #"{ "type": "click", "selectors": ["aria/Statements[role=\"link\"]"], "offsetX": 1, "offsetY": 1 }"#,
            "download: Statements", "Does this fetch the statement?"
        ),
        (
            #"{ "type": "click", "selectors": [["aria/PDF"], ["tr:nth-child(2) a"]], "offsetX": 1, "offsetY": 1 }"#,
            "download: PDF", "Which month's is it?"
        ),
        (
            ##"{ "type": "click", "selectors": ["#agree[type=checkbox]"], "offsetX": 1, "offsetY": 1 }"##,
            "check: { css: \"#agree[type=checkbox]\" }", nil
        ),
        (
            #"{ "type": "change", "value": "typed-into-a-search", "selectors": ["aria/Search"] }"#, "open: /",
            "What goes into field “Search”? The typed text is left out"
        ),
        (#"{ "type": "waitForElement", "selectors": [".ready"] }"#, "expect: .ready", nil),
        (
            #"{ "type": "waitForElement", "selectors": [".row"], "operator": ">=", "count": 3 }"#, "open: /",
            "an element in a special state"
        ),
        (#"{ "type": "waitForExpression", "expression": "x" }"#, "open: /", "JavaScript expression"),
        (#"{ "type": "customStep", "name": "other", "parameters": {} }"#, "open: /", "a custom step “other”"),
        (#"{ "type": "swipe" }"#, "open: /", "a step of the type “swipe”"),
        (
            ##"{ "type": "click", "frame": [0], "selectors": ["#go"], "offsetX": 1, "offsetY": 1 }"##,
            "enter: { css: \"iframe, frame\", nth: 1 }", "Which frame is it?"
        ),
        (
            ##"{ "type": "change", "value": "x9-secret", "selectors": ["#password"] }, { "type": "keyDown", "key": "Enter" }"##,
            "submit: { form: \"form:has(#password)\" }", "Has the form a button?"
        ),
    ]

    @Test("says what each kind of step becomes", arguments: parts)
    func part(json: String, line: String, question: String?) throws {
        let draft = try Self.draft(Self.flow(json))
        #expect(draft.yaml.contains("- \(line)\n"), "\(draft.yaml)")
        guard let question else { return }
        let asked = draft.yaml.matches(of: /Question \d+: [^\n]*/).map { String($0.output) }
        #expect(asked.contains { $0.contains(question) }, "\(draft.yaml)")
    }

    @Test(
        "says where a file is broken and what to do",
        arguments: [
            ("{", StepRecordingError.Code.notJSON, "the file is not JSON"),
            ("{}", .notARecording, "neither “steps”, as Chrome's Recorder writes, nor “tests”"),
            (#"{ "steps": [] }"#, .noSteps, "the recording has no steps; record the visit again"),
            (#"{ "steps": [{}] }"#, .malformed, "step 1: it has no “type”"),
            (#"{ "steps": [{ "type": "navigate" }] }"#, .malformed, "step 1 (navigate): it has no text “url”"),
            (#"{ "steps": [{ "type": "click" }] }"#, .malformed, "step 1 (click): it has no “selectors”"),
            (
                #"{ "steps": [{ "type": "change", "selectors": ["a"], "value": 1 }] }"#, .malformed,
                "step 1 (change): it has no text “value”"
            ),
            (
                #"{ "steps": [{ "type": "click", "selectors": ["a"], "frame": ["x"] }] }"#, .malformed,
                "step 1 (click): “frame” must be a list of whole numbers"
            ),
            (
                #"{ "steps": [{ "type": "customStep", "name": "countersign", "parameters": { "step": "- pres: x" } }] }"#,
                .malformed, "step 1 (customStep): a step has no part “pres”"
            ),
        ])
    func broken(text: String, code: StepRecordingError.Code, message: String) throws {
        let error = #expect(throws: StepRecordingError.self) { try StepRecording(reading: Array(text.utf8)) }
        #expect(error?.code == code)
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test("needs a page to begin with")
    func noPage() {
        let text = ##"{ "steps": [{ "type": "click", "selectors": ["#go"] }] }"##
        let error = #expect(throws: DraftError.self) { try Self.draft(text) }
        #expect(error?.message.contains("the recording opens no page") == true)
    }
}
