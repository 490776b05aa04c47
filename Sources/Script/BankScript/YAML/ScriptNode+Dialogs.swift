import Encodings

extension ScriptNode {
    /// The answers that a rule of `dialogs` may give.
    static let dialogAnswers = ["accept", "dismiss"]

    /// Reads `dialogs:`.
    func dialogRules() throws(ScriptSyntaxError) -> [DialogRule] {
        var rules: [DialogRule] = []
        for item in try items("dialogs") { rules.append(try item.dialogRule()) }
        return rules
    }

    /// Reads `{ says: Stay signed in, answer: accept }`.
    private func dialogRule() throws(ScriptSyntaxError) -> DialogRule {
        let fields = try fields("a dialog", example: "{ says: Stay signed in, answer: accept }")
        guard let says = fields["says"] else {
            throw error("the dialog has no “says”", hint: "write some words of the dialog: says: Stay signed in")
        }
        guard let answer = fields["answer"] else {
            throw error("the dialog has no “answer”", hint: "write answer: accept, or answer: dismiss")
        }
        let rule = DialogRule(
            words: try says.text("the dialog's text"), answer: try answer.dialogAnswer(typing: fields["text"]),
            mark: mark)
        if let fault = rule.fault { throw error(fault.message, hint: fault.hint) }
        return rule
    }

    private func dialogAnswer(typing text: ScriptNode?) throws(ScriptSyntaxError) -> DialogRule.Answer {
        switch try self.text("the answer") {
        case "accept": return .accept(typing: try text?.text("the text to type"))
        case "dismiss":
            if let text { throw text.error("“text” needs answer: accept") }
            return .dismiss
        case let other:
            throw error(
                "“\(other)” is not an answer to a dialog",
                hint: nearest(to: other, among: Self.dialogAnswers).map { "did you mean “\($0)”?" }
                    ?? "write accept or dismiss")
        }
    }
}

extension DialogRule {
    /// The rule as one line of YAML.
    var written: YAMLText {
        var members: [(String, YAMLText)] = [("says", .text(words))]
        switch answer {
        case .accept(let text):
            members.append(("answer", .text("accept")))
            if let text { members.append(("text", .text(text))) }
        case .dismiss: members.append(("answer", .text("dismiss")))
        }
        return .members(members)
    }
}
