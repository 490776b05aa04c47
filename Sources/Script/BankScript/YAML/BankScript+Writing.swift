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
        if !device.isEmpty { lines.append("device: \(YAMLText.items(device.map(YAMLText.text)).flow)") }
        if let exchange { lines += exchange.lines }
        if let consent { lines.append("consent: \(consent.written.flow)") }
        switch budget {
        case .aDay(let count): lines.append("budget: \(count) a day")
        case .aMinute(let count): lines.append("budget: \(count) a minute")
        case nil: break
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
            let group = together(steps, from: index, remarks)
            lines.append("\(margin)- \(group.name): \(group.text.flow)")
            if let expected = steps[index].expected { lines.append("\(margin)  expecting: \(expected.written)") }
            if let patience = steps[index].patience { lines.append("\(margin)  within: \(patience.inScript)") }
            for block in steps[index].action.kind.blocks where block.isWritten {
                lines.append("\(margin)  \(block.name):")
                lines += Step.lines(block.steps, indent: indent + 4)
            }
            index += group.count
        }
        return lines
    }

    /// Writes neighbouring steps of one name that share a line as one.
    private static func together(
        _ steps: [Step], from start: Int, _ remarks: [Int: [String]]
    ) -> (name: String, text: YAMLText, count: Int) {
        let first = steps[start].action.kind
        var members: [(String, YAMLText)] = []
        var index = start
        while index < steps.count, index == start || remarks[index] == nil,
            case let kind = steps[index].action.kind, kind.writtenName == first.writtenName,
            steps[index].patience == steps[start].patience, let (label, value) = kind.shared,
            !members.contains(where: { $0.0 == label })
        {
            members.append((label, value))
            index += 1
        }
        guard members.isEmpty else { return (first.writtenName, .members(members), index - start) }
        return (first.writtenName, first.written, 1)
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
