@testable import Authoring
@testable import BankScript
@testable import Encodings

/// Reads a browser's recording, writes it again, and drafts a script and a survey from it.
func fuzzArchive(_ input: [UInt8]) {
    guard let archive = try? HTTPArchive(reading: input) else { return }
    let written: [UInt8]
    let again: HTTPArchive
    do {
        written = try archive.json.canonicalBytes()
        again = try HTTPArchive(reading: written)
    } catch {
        fatalError("broken: an archive that was read is written, and read again: \(error)")
    }
    promise(again.exchanges.count == archive.exchanges.count, "an archive keeps its exchanges")
    for (old, new) in zip(archive.exchanges, again.exchanges) {
        promise(old.method == new.method && old.url == new.url && old.status == new.status, "an exchange stays itself")
    }
    promise(ReplayTransport(archive).used == 0, "a replay begins with nothing used")
    if let draft = try? ScriptDraft(recording: archive) {
        _ = ScriptLint.findings(in: draft.script)
        let text = draft.yaml
        do {
            let script = try BankScript(yaml: text, file: "draft.yaml")
            promise(script.digest == draft.script.digest, "a draft is read as what it is:\n\(text)")
        } catch {
            fatalError("broken: a draft is a script: \(error)\n\(text)")
        }
    }
    if let survey = try? Survey(of: archive) { checkSurvey(survey) }
}

/// Reads a survey, and drafts a script from it.
func fuzzSurvey(_ input: [UInt8]) {
    guard let survey = try? Survey(reading: String(decoding: input, as: UTF8.self)) else { return }
    checkSurvey(survey)
}

private func checkSurvey(_ survey: Survey) {
    let text = survey.text
    guard let again = try? Survey(reading: text) else { fatalError("broken: a survey is read:\n\(text)") }
    promise(again.text == text, "a survey that is written and read says the same:\n\(text)\nis read as:\n\(again.text)")
    guard let draft = try? ScriptDraft(survey: survey) else { return }
    _ = ScriptLint.findings(in: draft.script)
    do {
        let script = try BankScript(yaml: draft.yaml, file: "draft.yaml")
        promise(script.digest == draft.script.digest, "a draft is read as what it is:\n\(draft.yaml)")
    } catch {
        fatalError("broken: a draft is a script: \(error)\n\(draft.yaml)")
    }
}
