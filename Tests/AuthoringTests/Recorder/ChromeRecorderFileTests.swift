import BankScript
import DefaultBank
import Encodings
import Foundation
import TestSupport
import Testing

@testable import Authoring

@Suite("A script as a file of Chrome's Recorder")
struct ChromeRecorderFileTests {
    private static let folder = Repository.file("BankScripts/DefaultBank")
    private static let variants =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "Variants").path))?.sorted() ?? []

    private func again(_ script: BankScript) throws -> BankScript {
        let file = ChromeRecorderFile(script).json.compactBytes()
        let draft = try ScriptDraft(recording: StepRecording(reading: file))
        return try BankScript(yaml: draft.yaml, file: "again.yaml")
    }

    @Test("gives the same script when it is read again", arguments: variants)
    func roundTrip(name: String) throws {
        let file = Self.folder.appending(path: "Variants/\(name)")
        let script = try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: name)
        #expect(try again(script).digest == script.digest, "\(ChromeRecorderFile(script).json.compactText())")
    }

    @Test("shows the steps on pages as the Recorder's own, without secrets")
    func shown() throws {
        #expect(!Self.variants.isEmpty)
        let script = MeridianSavings.script
        #expect(try again(script).digest == script.digest)
        let json = ChromeRecorderFile(script).json
        let steps = json["steps"]?.arrayValue ?? []
        let shown = steps.filter { $0["type"]?.stringValue != "customStep" }
        let words = shown.map { step in
            let selector = step["selectors"]?.arrayValue?.first?.arrayValue?.first?.stringValue
            return "\(step["type"]?.stringValue ?? "") \(selector ?? step["url"]?.stringValue ?? "")"
        }
        #expect(
            words == [
                "navigate https://banking.meridian-savings.example/login", "change aria/Username",
                "change aria/Password",
                "click aria/Sign in[role=\"button\"]", "click aria/Statements[role=\"link\"]",
                "change aria/Year[role=\"combobox\"]", "click aria/Show[role=\"button\"]",
                "click aria/Sign out[role=\"button\"]",
            ])
        #expect(shown.compactMap { $0["value"]?.stringValue } == ["$username", "$password", "{{ year }}"])
        // The Recorder refuses a click without a place, and a custom step without parameters.
        for step in steps {
            switch step["type"]?.stringValue {
            case "click": #expect(step["offsetX"]?.numberValue != nil && step["offsetY"]?.numberValue != nil)
            case "customStep": #expect(step["name"]?.stringValue == "countersign" && step["parameters"] != nil)
            default: break
            }
        }
    }

    @Test(
        "keeps each step that the Recorder cannot tell apart as a custom step",
        arguments: [
            "choose: { css: \"#year\", option: \"2026\" }", "follow: { css: .more }", "check: { css: \"#agree\" }",
            "uncheck: I agree", "press: { button: { exact: Go } }", "press: { button: Go, in: Filter }",
            "fill: { Note: hello-of-a-recording }", "press: { css: body }", "follow: \"Odd [role=\\\"x\\\"] name\"",
        ])
    func custom(step: String) throws {
        let script = try BankScript(
            yaml: "bank: b\nname: B\norigins: [https://b.example]\nsteps:\n  - \(step)\n", file: "b.yaml")
        #expect(ChromeRecorderFile(script).counts == (0, 1))
        let steps = ChromeRecorderFile(script).json["steps"]?.arrayValue ?? []
        #expect(steps.map { $0["type"]?.stringValue } == ["customStep", "customStep"])
        #expect(try again(script).digest == script.digest)
    }

    @Test("does not keep a value that a person typed in place of a placeholder")
    func replacedValues() throws {
        let text = ChromeRecorderFile(MeridianSavings.script).json.compactText()
            .replacing("\"$password\"", with: "\"$ecret\"").replacing("\"$username\"", with: "\"robin.ashdown\"")
        let draft = try ScriptDraft(recording: StepRecording(reading: Array(text.utf8)))
        #expect(!draft.yaml.contains("ecret\"") && !draft.yaml.contains("$ecret") && !draft.yaml.contains("robin"))
        #expect(draft.yaml.contains("fill: { Username: $username, Password: $password }"), "\(draft.yaml)")
    }
}
