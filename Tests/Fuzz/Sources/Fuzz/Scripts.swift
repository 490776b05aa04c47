@testable import BankScript
@testable import Encodings

/// Reads a script, checks it, writes it and reads it again.
func fuzzScript(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let script: BankScript
    do {
        script = try BankScript(yaml: text, file: "fuzz.yaml")
    } catch {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
        promise(!error.message.isEmpty, "an error says what it is")
        promise((1...lines + 1).contains(error.mark.line), "an error is at a line of the text: \(error)")
        return
    }
    let findings = ScriptLint.findings(in: script)
    promise(findings.allSatisfy { !$0.message.isEmpty && !$0.located(in: text).message.isEmpty }, "a finding says why")
    promise(script.digest == (try? BankScript(yaml: text, file: "other.yaml"))?.digest, "a text has one digest")
    promise((try? script.json.canonicalBytes()) != nil, "a script has a digest of its own")
    checkWriting(script)
    let disclosure = ScriptDisclosure(script)
    promise(!disclosure.lines.isEmpty, "a person is told what a script does")
    let read =
        disclosure.lines + disclosure.warnings + disclosure.summary + ["\(AcceptanceQuestion(script))"]
        + findings.map(\.message)
    promise(read.allSatisfy(isOneLine), "a script's text begins no line of its own")
    // The text that a person reads before approving.
    for step in script.stepsForOnePeriod + script.finally {
        promise(!step.action.words.isEmpty, "a step says what it does")
    }
}

private func isOneLine(_ text: String) -> Bool {
    !text.unicodeScalars.contains {
        $0.value < 0x20 || $0 == "\u{2028}" || $0 == "\u{2029}" || $0.properties.isBidiControl
    }
}

func checkWriting(_ script: BankScript) {
    let written = script.yaml()
    let again: BankScript
    do {
        again = try BankScript(yaml: written, file: "again.yaml")
    } catch {
        fatalError("broken: what is written is read: \(error)\n\(written)")
    }
    promise(
        again.digest == script.digest,
        "what is written and read has the same digest:\n\(written)\nis read as:\n\(again.yaml())")
    promise(again.yaml() == written, "a script is written in one way:\n\(written)\nis read as:\n\(again.yaml())")
}
