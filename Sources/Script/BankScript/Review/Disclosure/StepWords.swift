import Clocks
import Encodings
import Messages
import Selectors

/// The steps of a script in words, with everything that ``Action/words`` leaves out on lines of their own.
enum StepWords {
    /// The lines of a file that names a source, with the promises of a source of this project.
    private static func lines(of declaration: SourceDeclaration) -> [String] {
        let rule = SourceRule.standard.first { $0.source == declaration.source }
        let name = declaration.source.rawValue
        var lines = [
            "source \(name): \(rule == nil ? "a plug-in of this program" : "this program") asks the bank's server"
        ]
        lines.append("at \(declaration.address.inLine())")
        lines += declaration.settings.sorted { $0.key < $1.key }.map { "\($0.key.inLine()): \($0.value.inLine())" }
        lines.append("fetch \(declaration.kinds.map(\.rawValue).joined(separator: ", "))")
        return lines + (rule?.promises ?? []).map { "\(name) \($0)" }
    }

    static func lines(of script: BankScript) -> [String] {
        if let declaration = script.documentSource { return lines(of: declaration) }
        var lines = Self.lines(of: script.steps, indent: "")
        if let accounts = script.accounts {
            let alias = accounts.alias.map { ", their aliases by the pattern \($0.inLine())" } ?? ""
            let place =
                switch accounts.source {
                case .page(let names): "\(names.filling { $0.inLine() })"
                case .answer(let list, let name, let id):
                    "\(name.inLine()) of each \(list.inLine()) in the answer"
                        + (id.map { ", and the ids \($0.inLine())" } ?? "")
                }
            lines.append("keeps the names of the accounts: \(place)\(alias)")
        }
        if !script.forEachAccount.isEmpty {
            lines.append("for each account that is asked for")
            lines += Self.lines(of: script.forEachAccount, indent: "    ")
        }
        if !script.forEachPeriod.isEmpty {
            lines.append("for each month that is asked for")
            lines += Self.lines(of: script.forEachPeriod, indent: "    ")
        }
        for interruption in script.interruptions {
            lines.append("whenever \(interruption.condition.words)")
            switch interruption.response {
            case .pass(let steps): lines += Self.lines(of: steps, indent: "    ")
            case .fail(let code, let reason):
                lines.append("    - fail with \(code.rawValue), reason \(reason.rawValue)")
            }
        }
        for rule in script.dialogs {
            lines.append("whenever a dialog says “\(rule.words.inLine())”")
            switch rule.answer {
            case .accept(let text):
                lines.append("    - accept it" + (text.map { " with the text “\($0.inLine())”" } ?? ""))
            case .dismiss: lines.append("    - dismiss it")
            }
        }
        if !script.finally.isEmpty { lines.append("at the end") }
        return lines + Self.lines(of: script.finally, indent: "    ")
    }

    static func lines(of steps: [Step], indent: String) -> [String] {
        steps.flatMap { step in
            var lines = ["\(indent)- \(step.action.words)"]
            lines += step.action.kind.details.map { "\(indent)    \($0.visible)" }
            if let expected = step.expected { lines.append("\(indent)    also goes on with \(expected.asStatuses)") }
            if let patience = step.patience { lines.append("\(indent)    waits \(patience.inScript) at most for it") }
            for (index, block) in step.action.kind.blocks.enumerated() where block.isWritten {
                if index > 0 { lines.append("\(indent)  \(block.name)") }
                lines += Self.lines(of: block.steps, indent: indent + "    ")
            }
            return lines
        }
    }
}
