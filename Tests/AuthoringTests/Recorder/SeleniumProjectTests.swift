import BankScript
import Testing

@testable import Authoring

@Suite("A script drafted from a project of Selenium IDE")
struct SeleniumProjectTests {
    private static func project(_ commands: String, more: String = "") -> String {
        #"{ "id": "1", "version": "2.0", "name": "bank", "url": "https://www.bank.example", "tests": [{ "id": "2", "name": "Fetch", "commands": ["#
            + commands + "] }" + more + #"], "suites": [], "urls": ["https://www.bank.example/"], "plugins": [] }"#
    }

    private static let visit = project(
        #"""
        { "id": "a", "comment": "", "command": "open", "target": "/login", "targets": [], "value": "" },
        { "id": "b", "comment": "", "command": "setWindowSize", "target": "1280x720", "targets": [], "value": "" },
        { "id": "c", "comment": "", "command": "click", "target": "id=userid", "targets": [["id=userid", "id"]], "value": "" },
        { "id": "d", "comment": "", "command": "type", "target": "id=userid",
          "targets": [["id=userid", "id"], ["name=userid", "name"], ["css=#userid", "css:finder"], ["xpath=//input[@id='userid']", "xpath:attributes"]], "value": "kim.muster" },
        { "id": "e", "comment": "", "command": "type", "target": "name=password", "targets": [], "value": "geheim-123" },
        { "id": "f", "comment": "", "command": "click", "target": "css=.btn-primary",
          "targets": [["css=.btn-primary", "css:finder"], ["xpath=//button[@type='submit']", "xpath:attributes"], ["xpath=//button[contains(.,'Sign in')]", "xpath:innerText"]], "value": "" },
        { "id": "g", "comment": "", "command": "selectFrame", "target": "id=content", "targets": [], "value": "" },
        { "id": "h", "comment": "", "command": "click", "target": "linkText=Statements", "targets": [["xpath=//a[contains(text(),'Statements')]", "xpath:link"]], "value": "" },
        { "id": "i", "comment": "", "command": "select", "target": "id=year", "targets": [], "value": "label=2008" },
        { "id": "j", "comment": "", "command": "check", "target": "name=agree", "targets": [], "value": "on" },
        { "id": "k", "comment": "", "command": "//click", "target": "id=off", "targets": [], "value": "" },
        { "id": "l", "comment": "", "command": "click", "target": "linkText=January 2008", "targets": [], "value": "" },
        { "id": "m", "comment": "", "command": "selectFrame", "target": "relative=parent", "targets": [], "value": "" },
        { "id": "n", "comment": "", "command": "click", "target": "linkText=Sign out", "targets": [], "value": "" }
        """#)

    private func draft(_ text: String, test: String? = nil) throws -> ScriptDraft {
        try ScriptDraft(recording: StepRecording(reading: Array(text.utf8), test: test))
    }

    @Test("has credentials, frames, lists and the sign-out")
    func whole() throws {
        let draft = try draft(Self.visit)
        _ = try ChromeRecordingTests.steps(draft)
        #expect(
            draft.script.steps.map(\.action.words) == [
                "open /login", "fill css “#userid” with the username",
                "fill css “[name=\"password\"]” with the password", "press button “Sign in”", "enter css “#content”",
                "follow link “Statements”", "choose “{{ year }}” in css “#year”", "check css “[name=\"agree\"]”",
                "download button or link “{{ month.name }} {{ year }}”",
            ], "\(draft.yaml)")
        #expect(draft.script.finally.map(\.action.words) == ["follow link “Sign out”"])
        #expect(draft.parameters == ["month": 1, "year": 2008])
        #expect(!draft.yaml.contains("kim") && !draft.yaml.contains("geheim"))
    }

    @Test("asks about commands that no step of a script does")
    func unknown() throws {
        let text = Self.project(
            #"""
            { "command": "open", "target": "/", "value": "" },
            { "command": "executeScript", "target": "return 'geheim'", "value": "x" },
            { "command": "select", "target": "id=month", "value": "index=3" }
            """#)
        let yaml = try draft(text).yaml
        #expect(
            yaml.contains("The recording has the command “executeScript” (test “Fetch”, command 2 (executeScript))"),
            "\(yaml)")
        #expect(yaml.contains("An option was chosen by its position"))
        #expect(!yaml.contains("geheim"))
    }

    @Test("reads the named test of several")
    func tests() throws {
        let text = Self.project(
            #"{ "command": "open", "target": "/a", "value": "" }"#,
            more: #", { "name": "Other", "commands": [{ "command": "open", "target": "/b", "value": "" }] }"#)
        #expect(try draft(text, test: "Other").script.steps.map(\.action.words) == ["open /b"])
        let several = #expect(throws: StepRecordingError.self) { try draft(text) }
        #expect(several?.code == .severalTests)
        #expect(several?.message == "the project has 2 tests, “Fetch”, “Other”; name one with --test")
        let unknown = #expect(throws: StepRecordingError.self) { try draft(text, test: "Third") }
        #expect(unknown?.message == "the project has no test “Third”; it has “Fetch”, “Other”")
    }

    @Test(
        "says where a project is broken and what to do",
        arguments: [
            (#"{ "tests": [] }"#, StepRecordingError.Code.noSteps, "no test of the project has commands"),
            (
                #"{ "tests": [{ "name": "T", "commands": [{}] }] }"#, .malformed,
                "test “T”, command 1: it has no “command”"
            ),
            (
                #"{ "tests": [{ "name": "T", "commands": [{ "command": "open", "target": "/x" }] }] }"#, .malformed,
                "test “T”, command 1 (open): the project has no “url” that “/x” belongs to"
            ),
            (
                #"{ "url": "https://b.example", "tests": [{ "name": "T", "commands": [{ "command": "click", "target": "" }] }] }"#,
                .malformed, "test “T”, command 1 (click): it has no “target”"
            ),
        ])
    func broken(text: String, code: StepRecordingError.Code, message: String) throws {
        let error = #expect(throws: StepRecordingError.self) { try StepRecording(reading: Array(text.utf8)) }
        #expect(error?.code == code)
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }
}
