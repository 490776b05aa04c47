import Selectors

/// Comments to write around the steps of a script.
public struct ScriptRemarks: Sendable {
    /// Lines above the script.
    public var head: [String] = []
    /// Lines above each step, by its index in ``BankScript/steps``.
    public var steps: [Int: [String]] = [:]
    /// Lines below the last step.
    public var foot: [String] = []

    public init() {}
}

extension BankScript {
    /// Writes the script as YAML that reads back as the same value.
    ///
    /// One value cannot be written: a text in a request's headers or body that is `$` and a name. It reads back as a
    /// credential.
    public func yaml(remarks: ScriptRemarks = ScriptRemarks()) -> String {
        if let documentSource { return sourceYAML(documentSource) }
        var lines = remarks.head.map(YAMLText.comment)
        lines.append("bank: \(YAMLText.scalar(id))")
        lines.append("name: \(YAMLText.scalar(name))")
        lines.append("origins: \(YAMLText.items(origins.map(YAMLText.text)).flow)")
        if !pins.isEmpty {
            lines.append("pins:")
            for (origin, keys) in pins.sorted(by: { $0.key < $1.key }) {
                lines.append("  \(YAMLText.scalar(origin)): \(YAMLText.items(keys.map(YAMLText.text)).flow)")
            }
        }
        if isForTesting { lines.append("testing: true") }
        if locale != "en" { lines.append("locale: \(YAMLText.scalar(locale))") }
        if credentials != Self.usualCredentials {
            lines.append("credentials: \(YAMLText.items(credentials.map(YAMLText.text)).flow)")
        }
        if engine != .html { lines.append("engine: \(engine.rawValue)") }
        if atOnce != 1 { lines.append("at once: \(atOnce)") }
        if attempts != 1 { lines.append("attempts: \(attempts)") }
        if parameters != Parameter.statementPeriod {
            let members = parameters.map { ($0.name, $0.written) }
            lines.append("parameters: \(YAMLText.members(members).flow)")
        }
        if !interruptions.isEmpty {
            lines.append("interruptions:")
            for interruption in interruptions { lines += interruption.lines }
        }
        if !dialogs.isEmpty {
            lines.append("dialogs:")
            lines += dialogs.map { "  - \($0.written.flow)" }
        }
        if let accounts { lines.append("accounts: \(accounts.written.flow)") }
        lines.append("steps:")
        lines += Step.lines(steps, remarks: remarks.steps)
        lines += remarks.foot.map { "  " + YAMLText.comment($0) }
        if !forEachAccount.isEmpty {
            lines.append("for each account:")
            lines += Step.lines(forEachAccount)
        }
        if !forEachPeriod.isEmpty {
            lines.append("for each period:")
            lines += Step.lines(forEachPeriod)
        }
        if !finally.isEmpty {
            lines.append("finally:")
            lines += Step.lines(finally)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Step {
    /// Writes the steps as they stand under `steps:`, without an indentation.
    package static func yaml(_ steps: [Step]) -> String { lines(steps, indent: 0).joined(separator: "\n") }

    /// Reads what ``yaml(_:)`` writes.
    ///
    /// - Throws: ``ScriptSyntaxError``.
    package static func reading(yaml text: String, file: String) throws(ScriptSyntaxError) -> [Step] {
        try BankScript(yaml: "bank: a\nname: a\norigins: []\nsteps:\n\(text)\n", file: file).steps
    }

    /// Writes the steps as lines that begin with `- `, indented by two spaces unless told otherwise.
    static func lines(_ steps: [Step], remarks: [Int: [String]] = [:], indent: Int = 2) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var index = 0
        while index < steps.count {
            lines += (remarks[index] ?? []).map { margin + YAMLText.comment($0) }
            if case .when(let condition, let then, let otherwise) = steps[index].action {
                lines.append("\(margin)- when: \(condition.written.flow)")
                lines.append("\(margin)  then:")
                lines += Step.lines(then, indent: indent + 4)
                if !otherwise.isEmpty {
                    lines.append("\(margin)  otherwise:")
                    lines += Step.lines(otherwise, indent: indent + 4)
                }
                index += 1
                continue
            }
            let group = together(steps, from: index, remarks)
            lines.append("\(margin)- \(group.name): \(group.text.flow)")
            if let expected = steps[index].expected { lines.append("\(margin)  expecting: \(expected.written)") }
            index += group.count
        }
        return lines
    }

    /// Writes neighbouring fills by label as one line, and neighbouring choices likewise.
    private static func together(
        _ steps: [Step], from start: Int, _ remarks: [Int: [String]]
    ) -> (name: String, text: YAMLText, count: Int) {
        var members: [(String, YAMLText)] = []
        var name = ""
        var index = start
        while index < steps.count, index == start || remarks[index] == nil,
            let (kind, label, value) = steps[index].action.labelled, name.isEmpty || kind == name,
            !members.contains(where: { $0.0 == label })
        {
            name = kind
            members.append((label, value))
            index += 1
        }
        guard members.isEmpty else { return (name, .members(members), index - start) }
        let (single, text) = steps[start].action.written
        return (single, text, 1)
    }
}

extension Interruption {
    fileprivate var lines: [String] {
        switch response {
        case .fail(let code, let reason):
            let members: [(String, YAMLText)] = [
                ("when", condition.written), ("fail", .text(code.rawValue)), ("reason", .text(reason.rawValue)),
            ]
            return ["  - \(YAMLText.members(members).flow)"]
        case .pass(let steps):
            return ["  - when: \(condition.written.flow)", "    pass:"] + Step.lines(steps, indent: 6)
        }
    }
}

extension Action {
    /// The parts of a fill or choose step with a plain label, which may share a line with others of its kind.
    fileprivate var labelled: (name: String, label: String, value: YAMLText)? {
        switch self {
        case .fill(let field, let value):
            guard let label = field.plainLabel, label != "with" else { return nil }
            return ("fill", label, value.written)
        case .choose(let list, let option):
            guard let label = list.plainLabel, label != "option" else { return nil }
            return ("choose", label, option.written)
        default: return nil
        }
    }

    var written: (name: String, text: YAMLText) {
        switch self {
        case .open(let reference): ("open", .text(reference.source))
        case .follow(let link): ("follow", link.written(as: .link))
        case .press(let button): ("press", button.written(as: .button))
        case .pressEach(let key, let name): ("press each", .members([("$" + name, key.written(as: .css))]))
        case .submit(let submit): ("submit", submit.written)
        case .enter(let frame): ("enter", frame.written(as: .css))
        case .check(let box, let isOn): (isOn ? "check" : "uncheck", box.written(as: .field))
        case .fill(let field, let value): ("fill", .members(field.members + [("with", value.written)]))
        case .choose(let list, let option):
            ("choose", .members(list.members + [("option", option.written)]))
        case .secondFactor(let step): ("second factor", step.written)
        case .expect(let condition): ("expect", condition.written)
        case .fail(let code, let condition, let reason):
            (
                "fail",
                .members(
                    [(code.rawValue, condition.written)]
                        + (reason.map { [("reason", .text($0.rawValue))] } ?? []))
            )
        // `Step.lines` writes `when`, because it holds a block of steps.
        case .when(let condition, _, _): ("when", condition.written)
        case .search(let search): ("search", search.written)
        case .capture(let capture): ("capture", .members([(capture.name, capture.written)]))
        case .request(let request): ("request", request.written)
        case .waitUntil(let wait): ("wait until", wait.written)
        case .download(let download): ("download", download.written)
        }
    }
}

extension ClosedRange<Int> {
    package var written: String { lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound)..\(upperBound)" }
}

extension Duration {
    var written: YAMLText { .bare(inScript) }

    /// The duration as a script has it, e.g. `2 min`.
    package var inScript: String {
        let (seconds, attoseconds) = components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        if milliseconds.isMultiple(of: 60_000) { return "\(milliseconds / 60_000) min" }
        return milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
