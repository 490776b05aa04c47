import Foundation

// Checks of the steps that are repeated for each account and for each month.

extension ScriptLint {
    /// - Parameter names: the names that the repeated steps use.
    mutating func checkPeriods(naming names: Set<String>) {
        let steps = script.forEachPeriod
        guard let first = steps.first else { return checkReach() }
        if !Set(["month", "year"]).isSubset(of: script.parameters.map(\.name)) {
            report(
                "period", .error, "“for each period” needs the parameters month and year",
                hint: "remove “parameters”, or add to it: { month: 1..12, year: 1990..2100 }", at: first.mark)
        }
        let before = script.steps + script.forEachAccount
        if let download = before.first(where: { $0.action.downloads }) {
            report(
                "period", .error, "a document is downloaded before the months begin",
                hint: "move the download under “for each period”", at: download.mark)
        }
        if !first.action.kind.facts.contains(.comesFromAnywhere) {
            report(
                "turn", .warning, "the first step stays on the page of the month before: \(first.action.words)",
                hint: "begin with a step that works from there too, such as - open: /statements", at: first.mark)
        }
        if names.isDisjoint(with: ["month", "year"] + script.periodNames) {
            report(
                "turn", .error, "every month would fetch the same document: nothing names the month",
                hint: "write {{ month.name }} {{ year }} where the bank needs it", at: first.mark)
        }
        reportSignIn(in: steps, each: "month")
    }

    /// Reports a script whose documents a phone never fetches: a request for one month's statement is for a PDF, and a request for
    /// other kinds is for months.
    private mutating func checkReach() {
        let kinds = script.kinds
        guard !kinds.isEmpty, !kinds.contains(.pdf) else { return }
        let download = script.stepsForOnePeriod.first { $0.action.downloads }
        report(
            "no-pdf", .warning,
            "a phone fetches nothing with this script: it downloads \(kinds.sorted().map(\.rawValue).joined(separator: ", ")), "
                + "and a request for one statement is for a PDF",
            hint:
                "put the steps that fetch one month under “for each period”, so that the other kinds can be asked for",
            at: download?.mark)
    }
}

extension ScriptLint {
    /// - Parameters:
    ///   - named: the names that the steps for each account use.
    ///   - others: those that the steps for each month use.
    mutating func checkAccounts(naming named: Set<String>, or others: Set<String>) {
        let steps = script.forEachAccount
        guard let accounts = script.accounts else {
            guard let first = steps.first else { return }
            return report(
                "account", .error, "“for each account” needs to know the accounts",
                hint: "say where the page lists their names: accounts: { names: .account-name }", at: first.mark)
        }
        if let alias = accounts.alias, (try? NSRegularExpression(pattern: alias)) == nil {
            report(
                "account", .error, "the pattern of “alias” is not a regular expression: \(alias)",
                hint: "for example alias: \"^[A-Za-z ]+\"", at: nil, about: alias)
        }
        if script.forEachPeriod.isEmpty {
            report(
                "account", .error, "a script with accounts needs steps under “for each period”",
                hint: "move the steps that fetch one month's documents there", at: steps.first?.mark)
        }
        if named.union(others).isDisjoint(with: accounts.placeholders) {
            let name = accounts.placeholders.last == AccountList.idName ? AccountList.idName : "account_name"
            report(
                "turn", .error, "every account would fetch the same documents: nothing names the account",
                hint: "write {{ \(name) }} where the bank needs it", at: steps.first?.mark)
        }
        guard let first = steps.first else { return }
        if !first.action.kind.facts.contains(.comesFromAnywhere) {
            report(
                "turn", .warning, "the first step stays on the page of the account before: \(first.action.words)",
                hint: "begin with a step that works from there too, such as - open: /accounts", at: first.mark)
        }
        reportSignIn(in: steps, each: "account")
    }

    /// Checks where the accounts are: a locator on a page, or paths in an answer that a step before has requested.
    mutating func check(_ accounts: AccountList) {
        switch accounts.source {
        case .page(let names): check(names, at: nil)
        case .answer(let list, let name, let id):
            for path in [list, name] + (id.map { [$0] } ?? []) { checkJSONPath(Template(path), at: nil) }
            // A session that the owner opened has brought one.
            let asking = script.steps + (script.exchange?.steps ?? [])
            guard !asking.contains(where: { $0.action.has(.bringsJSON) }) else { return }
            report(
                "account", .error, "“accounts” reads a JSON answer, and no step requests one",
                hint: "end “steps” with the request that lists them: - request: { GET: /api/accounts }", at: nil,
                about: list)
        }
    }

    private mutating func reportSignIn(in steps: [Step], each turn: String) {
        let first = steps.first { step in
            !step.action.signInCredentials.isEmpty || step.action.kind.facts.contains(.asksForCode)
        }
        guard let step = first else { return }
        report(
            "repeated-sign-in", .warning, "each \(turn) would sign in or ask for a code again: \(step.action.words)",
            hint: "sign in under “steps”, which runs once", at: step.mark)
    }
}
