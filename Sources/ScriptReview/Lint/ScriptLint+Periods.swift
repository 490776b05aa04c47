import BankScript

// Checks of the steps that are repeated for each month.

extension ScriptLint {
    /// - Parameter names: the names that the repeated steps use.
    mutating func checkPeriods(naming names: Set<String>) {
        let steps = script.forEachPeriod
        guard let first = steps.first else { return }
        if !Set(["month", "year"]).isSubset(of: script.parameters.map(\.name)) {
            report(
                "period", .error, "“for each period” needs the parameters month and year",
                hint: "remove “parameters”, or add to it: { month: 1..12, year: 1990..2100 }", at: first.mark)
        }
        if script.steps.contains(where: { $0.action.downloads }) {
            report(
                "period", .error, "“steps” downloads a document before the months begin",
                hint: "move the download under “for each period”", at: script.steps.first { $0.action.downloads }?.mark)
        }
        if !first.action.comesFromAnywhere {
            report(
                "turn", .warning, "the first step stays on the page of the month before: \(first.action.words)",
                hint: "begin with a step that works from there too, such as - open: /statements", at: first.mark)
        }
        if names.isDisjoint(with: ["month", "year"] + script.periodNames) {
            report(
                "turn", .error, "every month would fetch the same document: nothing names the month",
                hint: "write {{ month.name }} {{ year }} where the bank needs it", at: first.mark)
        }
        if let step = steps.first(where: { !$0.action.sentCredentials.isEmpty || $0.action.asksForCode }) {
            report(
                "repeated-sign-in", .warning, "each month would sign in or ask for a code again: \(step.action.words)",
                hint: "sign in under “steps”, which runs once", at: step.mark)
        }
    }
}

extension Action {
    /// True if the step, or a step inside it, downloads a document.
    fileprivate var downloads: Bool {
        switch self {
        case .download: true
        case .when(_, let then, let otherwise): (then + otherwise).contains { $0.action.downloads }
        default: false
        }
    }

    /// True if the step may begin on any page of the bank.
    fileprivate var comesFromAnywhere: Bool {
        switch self {
        case .open, .follow, .press, .request, .when: true
        case .download(let download): if case .control = download.source { false } else { true }
        default: false
        }
    }

    fileprivate var asksForCode: Bool {
        if case .secondFactor = self { true } else { false }
    }
}
