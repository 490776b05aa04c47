import Encodings

// Checks of the rules that answer dialogs.

extension ScriptLint {
    mutating func checkDialogs() {
        guard let first = script.dialogs.first else { return }
        if script.engine != .browser {
            report(
                "dialogs", .warning, "without a browser no page opens a dialog, so “dialogs” changes nothing",
                hint: "write “engine: browser” at the top, or leave out “dialogs”", at: first.mark)
        }
        var before: [String] = []
        for rule in script.dialogs {
            if let fault = rule.fault { report("dialogs", .error, fault.message, hint: fault.hint, at: rule.mark) }
            if let other = before.first(where: { rule.words.containsFolded($0) }) {
                report(
                    "unreachable", .error, "a rule before this one answers every dialog that says “\(rule.words)”",
                    hint: "move it above the rule for “\(other)”, or remove it", at: rule.mark)
            }
            before.append(rule.words)
        }
    }
}
