import BankScript
import Selectors

// The drafted steps as a script with remarks.

extension StepRecordingDraft {
    var locale: String {
        let names = recording.steps.compactMap { $0.element?.words } + recording.titles
        let known = recording.steps.lazy.compactMap { $0.element?.language }.first
        return recording.header?.locale ?? known ?? MonthNames.language(of: names) ?? "en"
    }

    /// The month in the download's name.
    private var documentPeriod: RecordedMonth? {
        for action in drafted.map(\.step.action) {
            if case .html(let rows, _)? = action.as(SearchStep.self)?.pages {
                return RecordedMonth(in: rows.description, locale: locale)
            }
            if case .control(let control)? = action.as(DownloadStep.self)?.source {
                return RecordedMonth(in: control.description, locale: locale)
            }
        }
        return nil
    }

    mutating func finished() -> ScriptDraft {
        let period = documentPeriod ?? RecordedMonth(chosenBy: drafted.map(\.step.action), locale: locale)
        if !isScript, let period { drafted = drafted.map { $0.parametrised(by: period) } }
        var remarks = ScriptRemarks()
        if !isScript {
            remarks.head =
                recording.format == .browser
                ? ["Recorded in the browser. Read each step, and answer the questions in the comments."]
                : [
                    "Drafted from a recording of \(recording.format.rawValue). It has what was clicked, not the pages: answer each",
                    "question, and try the steps one by one: countersign script shell URL",
                ]
            remarks.head.append(
                period.map { "The recorded statement was for \($0.year)-\($0.month); both are parameters now." }
                    ?? "No month and year were recognised: put {{ month.name }} and {{ year }} where they belong.")
        }
        for (index, step) in drafted.enumerated() where !step.remarks.isEmpty { remarks.steps[index] = step.remarks }
        remarks.foot = foot
        return ScriptDraft(
            script: script, remarks: remarks.numberingQuestions(),
            parameters: period.map { ["month": ParameterValue($0.month), "year": ParameterValue($0.year)] } ?? [:])
    }

    private var script: BankScript {
        if var script = recording.header {
            let steps = drafted.map(\.step)
            let periods = periodStart ?? steps.count
            let accounts = min(accountStart ?? periods, periods)
            script.steps = Array(steps[..<accounts])
            script.forEachAccount = Array(steps[accounts..<periods])
            script.forEachPeriod = Array(steps[periods...])
            script.finally = finally
            return script
        }
        let opened = recording.steps.compactMap { step in
            if case .open(let url) = step.action { url } else { nil }
        }
        let origins = ScriptOrigins.all(of: opened + recording.addresses)
        let titles = recording.titles.filter { !typed.occur(in: $0) }
        let naming = BankNaming(titles: titles, origin: home ?? "")
        return BankScript(
            id: naming.id, name: naming.name, origins: origins, isForTesting: ScriptOrigins.areForTesting(origins),
            locale: locale, credentials: BankScript.credentials(filledBy: drafted),
            engine: recording.format == .browser ? .browser : .html, steps: drafted.map(\.step), finally: finally)
    }
}
