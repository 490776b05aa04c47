import Encodings
import Foundation
import Messages
import Selectors

// Checks of names that the script declares: those that do not exist, and those that nothing uses.

extension ScriptLint {
    mutating func checkLocale() {
        let language = script.locale.prefix { $0 != "-" && $0 != "_" }
        // Most scripts are in English, and Foundation's list of languages takes memory.
        guard language != "en", !Locale.LanguageCode(String(language)).isISOLanguage else { return }
        report(
            "locale", .error, "“\(script.locale)” is not a language",
            hint: "write a code such as en, de or fr-CH (BCP 47)", at: nil, about: "locale")
    }

    /// Reports a credential that the script does not declare: people are not asked for it.
    public mutating func checkCredential(_ name: String, at mark: Mark?) {
        guard !script.credentials.contains(name), script.exchange?.gives.contains(name) != true else { return }
        let all = (script.credentials + [name]).joined(separator: ", ")
        report(
            "undeclared-credential", .error, "the script does not declare the credential “\(name)”",
            hint: nearest(to: name, among: script.credentials).map { "did you mean $\($0)?" }
                ?? "credentials: [\(all)]", at: mark, about: "$\(name)")
    }

    /// Checks a locator that names what only its step knows, such as `{{ digit }}`.
    mutating func checkPlace(_ name: String, in locator: Locator, at mark: Mark?) {
        namesOfStep = [name]
        check(locator, at: mark)
        namesOfStep = []
        guard !locator.texts.contains(where: { Template($0).names.contains(name) }) else { return }
        report(
            "missing-place", .error, "\(locator) does not say where the \(name) stands",
            hint: "write {{ \(name) }} in it", at: mark)
    }

    /// Reports an address on an origin that the script does not declare: nothing would be sent to it.
    public mutating func checkAddress(_ reference: Template, at mark: Mark?) {
        check(reference, at: mark)
        checkQuery(of: reference, at: mark)
        guard let scheme = reference.source.firstRange(of: "://"),
            ["http", "https"].contains(reference.source[..<scheme.lowerBound].lowercased())
        else { return }
        let authority = reference.source[scheme.upperBound...].prefix { !"/?#".contains($0) }
        let origin = reference.source[..<scheme.upperBound].lowercased() + authority
        let declared = script.origins.map { OriginText($0).ascii }
        guard !authority.contains("{{"), !declared.contains(OriginText(origin).ascii) else { return }
        report(
            "undeclared-origin", .error, "“\(origin)” is not one of the script's origins, so nothing is sent to it",
            hint: "if it belongs to the bank, add it to “origins”", at: mark, about: reference.source)
    }

    /// Warns about parameters and captures that nothing uses, and about credentials that nothing sends.
    mutating func checkUnused() {
        var used = namesInUse
        if !used.isDisjoint(with: script.periodNames) { used.formUnion(["month", "year"]) }
        let isMonthUnnamed =
            script.parameters == Parameter.statementPeriod && used.isDisjoint(with: ["month", "year"])
        for parameter in script.parameters where !used.contains(parameter.name) {
            // A script that says nothing of parameters has a month and a year. Where another name is wrong, that name is
            // the mistake.
            if script.parameters == Parameter.statementPeriod, isMonthUnnamed || hasError { continue }
            report(
                "unused", .warning, "nothing uses the parameter “\(parameter.name)”",
                hint: "write {{ \(parameter.name) }} where the bank needs it, or remove it", at: nil,
                about: parameter.name)
        }
        if isMonthUnnamed, !hasError { reportUnnamedMonth() }
        var reported: Set<String> = []
        for step in script.everyStep {
            guard let name = step.action.kind.keptName, !used.contains(name), reported.insert(name).inserted else {
                continue
            }
            report(
                "unused", .warning, "nothing uses the capture “\(name)”", hint: "use it in a later step, or remove it",
                at: step.mark, about: name)
        }
        let actions = script.everyStep.map(\.action) + (script.exchange?.steps ?? []).allActions
        let sent = Set(actions.flatMap(\.sentCredentials) + actions.flatMap { $0.kind.sent.compactMap(\.signingKey) })
            .union(script.exchange?.sends ?? [])
        for name in script.exchange?.gives ?? [] where !sent.contains(name) {
            report(
                "unused", .warning, "nothing uses the \(name) that the exchange gives",
                hint: "send it in a header, as its interface wants it: Authorization: Bearer $\(name)", at: nil,
                about: name)
        }
        for name in script.credentials where !sent.contains(name) && script.credentials != BankScript.usualCredentials {
            report(
                "unused", .warning, "nothing uses the credential “\(name)”, but people are asked for it",
                hint: "remove it from “credentials”", at: nil, about: name)
        }
    }

    /// Warns of a script that fetches one document, whatever the month, and files it under each month that is asked for.
    private mutating func reportUnnamedMonth() {
        let downloads = script.stepsForOnePeriod.flattened.filter { $0.action.downloads }
        // Of transactions, those of other days are left out.
        let picksDays = downloads.contains { $0.action.kind.facts.contains(.picksDays) }
        guard let download = downloads.first, !picksDays else { return }
        report(
            "turn", .warning,
            "every month would fetch the same document: nothing names the month, and the phone would file it under each one",
            hint: "write {{ month.name }} {{ year }} where the page names the month", at: download.mark)
    }

    /// Reports a step that downloads a second document of one kind on the same path: a visit has one of each.
    mutating func checkDownloads(_ steps: [Step], after earlier: Set<DocumentKind> = []) -> Set<DocumentKind> {
        var fetched = earlier
        for step in steps {
            let kinds = step.action.kind.fetchedKinds
            if let again = kinds.first(where: fetched.contains) {
                report(
                    "second-download", .error,
                    "this is a second download of a \(again.rawValue); a run delivers one document of each kind",
                    hint: "say what the file is, for example as: csv, or fetch it in another branch", at: step.mark)
            }
            fetched.formUnion(kinds)
            let before = fetched
            for block in step.action.kind.blocks { fetched.formUnion(checkDownloads(block.steps, after: before)) }
        }
        return fetched
    }
}

extension BankScript {
    /// Every step, with those inside `when`, of the interruptions and of `finally`.
    fileprivate var everyStep: [Step] {
        let passed = interruptions.flatMap { interruption -> [Step] in
            if case .pass(let steps) = interruption.response { steps } else { [] }
        }
        return (stepsForOnePeriod + passed + finally).flattened
    }
}
