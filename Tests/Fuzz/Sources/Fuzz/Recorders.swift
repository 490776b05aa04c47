@testable import Authoring
@testable import BankScript

/// Reads a recording of Chrome's Recorder or Selenium IDE, drafts a script from it, writes the script for the Recorder, and
/// reads that again.
func fuzzStepRecording(_ input: [UInt8]) {
    guard let recording = try? StepRecording(reading: input), let draft = try? ScriptDraft(recording: recording) else {
        return
    }
    _ = ScriptLint.findings(in: draft.script)
    let text = draft.yaml
    do {
        let script = try BankScript(yaml: text, file: "draft.yaml")
        promise(script.digest == draft.script.digest, "a draft is read as what it is:\n\(text)")
        let written = ChromeRecorderFile(script).json.compactBytes()
        let again = try ScriptDraft(recording: StepRecording(reading: written))
        promise(again.script.digest == script.digest, "an exported script is read as the same one:\n\(text)")
    } catch {
        fatalError("broken: a draft is a script that can be exported: \(error)\n\(text)")
    }
}
