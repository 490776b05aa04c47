import Clocks

extension ScriptNode {
    /// Reads the values that a parameter may have: `1..12`, `{ text: "[0-9]{4}" }`,
    /// `{ date: 2015-01-01..2100-12-31 }` or `{ choice: [Current, Savings] }`.
    func parameterKind(of name: String) throws(ScriptSyntaxError) -> Parameter.Kind {
        guard isMapping else {
            if isSequence {
                throw error(
                    "a parameter's values must be named", hint: "write for example { choice: [Current, Savings] }")
            }
            if let word = scalar, Parameter.kindNames.contains(word) {
                throw error(
                    "“\(word)” does not say which values “\(name)” may have",
                    hint: Self.usualRanges[name].map { "write \(name): \($0)" } ?? Self.parameterExamples[word])
            }
            return .number(try range("the parameter's range"))
        }
        let fields = try self.fields("a parameter", known: Parameter.kindNames)
        guard let (kind, value) = fields.first, fields.count == 1 else {
            throw error(
                "a parameter must have exactly one of: \(Parameter.kindNames.joined(separator: ", "))",
                hint: Self.parameterExamples["text"])
        }
        switch kind {
        case "text": return .text(pattern: try value.text("a parameter's pattern"))
        case "date": return .date(try value.dates())
        default:
            var choices: [String] = []
            for item in try value.items("a parameter's choices") { choices.append(try item.text("a choice")) }
            return .choice(choices)
        }
    }

    private static let usualRanges = ["month": "1..12", "year": "2015..2100", "quarter": "1..4", "day": "1..31"]

    private static let parameterExamples = [
        "text": "write for example { text: \"[0-9]{4}\" } for a text of four digits",
        "date": "write for example { date: 2015-01-01..2100-12-31 }",
        "choice": "write for example { choice: [Current, Savings] }",
    ]

    /// Reads `2015-01-01..2100-12-31` or one date.
    private func dates() throws(ScriptSyntaxError) -> ClosedRange<CalendarDate> {
        let written = try text("a parameter's dates")
        let halves = written.replacing("–", with: "..").split(separator: "..").map { CalendarDate($0.trimmed) }
        guard let first = halves.first ?? nil, let last = halves.last ?? nil, halves.count <= 2, first <= last else {
            throw error("“\(written)” is not a range of dates", hint: Self.parameterExamples["date"])
        }
        return first...last
    }
}

extension Parameter {
    /// The values as YAML has them.
    var written: YAMLText {
        switch kind {
        case .number(let range): .bare(range.written)
        case .text(let pattern): .members([("text", .text(pattern))])
        case .date(let range):
            .members([
                (
                    "date",
                    .bare(
                        range.lowerBound == range.upperBound
                            ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)")
                )
            ])
        case .choice(let choices): .members([("choice", .items(choices.map(YAMLText.text)))])
        }
    }
}
