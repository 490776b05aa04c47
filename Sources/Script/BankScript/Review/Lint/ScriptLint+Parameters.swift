// Checks of the parameters that a script declares, and of the filters that change them.

extension ScriptLint {
    mutating func checkParameters() {
        var names: Set<String> = []
        for parameter in script.parameters {
            let name = parameter.name
            if !name.isIdentifier {
                report(
                    "parameter", .error, "“\(name)” cannot be the name of a parameter",
                    hint: "use letters, digits, - and _", at: nil, about: name)
            }
            if !names.insert(name).inserted {
                report(
                    "parameter", .error, "the parameter “\(name)” is declared twice", hint: "remove one of them",
                    at: nil, about: name)
            }
            switch parameter.kind {
            case .number, .date: break
            case .text(let pattern): checkRegex(pattern, at: nil)
            case .choice(let choices):
                guard choices.isEmpty || choices.contains("") || Set(choices).count < choices.count else { continue }
                report(
                    "parameter", .error, "the choices of “\(name)” must be different texts, and at least one",
                    hint: "\(name): { choice: [Current, Savings] }", at: nil, about: name)
            }
        }
    }

    /// Reports a filter that a parameter's values do not suit, such as `date` for a number.
    mutating func checkFirstFilter(of placeholder: Template.Placeholder, at mark: Mark?) {
        guard let first = placeholder.filters.first, let filter = TemplateFilter(rawValue: first.name),
            let parameter = script.parameters.first(where: { $0.name == placeholder.name })
        else { return }
        let needed: String
        switch (filter, parameter.kind) {
        case (.date, .number), (.date, .text), (.date, .choice), (.plus, .number), (.plus, .text), (.plus, .choice),
            (.minus, .number), (.minus, .text), (.minus, .choice):
            needed = "a date"
        case (.name, .date), (.abbreviation, .date), (.name, .choice), (.abbreviation, .choice):
            needed = "the number of a month"
        default: return
        }
        report(
            "filter-kind", .error,
            "“\(first.name)” needs \(needed), but “\(parameter.name)” is \(parameter.kind.words)",
            hint: "for example \(filter.example)", at: mark, about: placeholder.name)
    }
}

extension Parameter.Kind {
    fileprivate var words: String {
        switch self {
        case .number: "a whole number"
        case .text: "a text"
        case .date: "a date"
        case .choice: "a choice"
        }
    }
}
