import BankScript
import TestCases
import Testing

@testable import Authoring

extension ImaginedVisit {
    /// Drafts a script from the visit, and checks that its text reads back as the same script, without an error.
    ///
    /// - Returns: the lines from `steps:` on, without comments, and the draft.
    func drafted() throws -> (yaml: String, draft: ScriptDraft) {
        let draft = try ScriptDraft(recording: archive)
        let again = try BankScript(yaml: draft.yaml, file: "draft.yaml")
        #expect(again.digest == draft.script.digest)
        let errors = ScriptLint.findings(in: again).filter { $0.severity == .error }
        // A draft asks its author what was typed.
        #expect(errors.allSatisfy { $0.rule == ScriptLint.openQuestion }, "\(draft.yaml)")
        let lines = draft.yaml.split(separator: "\n").filter { !$0.contains("#") }
        return (lines.drop { $0 != "steps:" }.joined(separator: "\n"), draft)
    }
}
