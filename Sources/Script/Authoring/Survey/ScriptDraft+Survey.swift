import BankScript
import HTMLEngine
import Selectors

extension ScriptDraft {
    /// Drafts a script from a survey: the sign-in, the way to the statements, and their list, as far as the survey has them.
    ///
    /// - Throws: ``DraftError`` when the survey has no page.
    public init(survey: Survey) throws(DraftError) {
        if let calls = SurveyCallReading(survey) {
            self = try ScriptDraft(calls, of: survey).checkedToReadBack()
            return
        }
        let reading = SurveyReading(survey)
        guard !reading.pages.isEmpty else { throw DraftError(message: "the survey has no page") }
        var steps: [Step] = []
        var remarks = ScriptRemarks()
        remarks.head = [
            "Drafted from a survey, which leaves out customer data. “…” stands for words that it leaves out.",
            "Try the steps one by one: countersign script shell URL",
        ]
        func add(_ actions: [Action], _ remark: String? = nil) {
            if let remark { remarks.steps[steps.count] = [remark] }
            steps += actions.map { Step($0) }
        }
        if let page = reading.signIn {
            add([.open(Template(page.path))])
            add(reading.signingIn(on: page))
        } else {
            add([.open("/")], "No page of the survey has a password field.")
        }
        if let code = reading.code { add([code]) }
        if let link = reading.statementsLink { add([.follow(link)]) }
        add(reading.fetching, reading.list == nil ? "No list of the survey names months. Write where the PDF is." : nil)
        let origins = survey.lines.filter { $0.kind == "origin" }.compactMap { $0["at"] }
        let naming = BankNaming(titles: [], origin: origins.first ?? "")
        let script = BankScript(
            id: naming.id, name: naming.name, origins: origins,
            isForTesting: ScriptOrigins.areForTesting(origins),
            locale: survey.lines.first?["language"] ?? "en", steps: steps,
            finally: reading.signOut.map { [Step(.press($0))] } ?? [])
        self.init(script: script, remarks: remarks)
    }

    /// Drafts the calls of a bank that is an app.
    private init(_ calls: SurveyCallReading, of survey: Survey) {
        let origins = survey.lines.filter { $0.kind == "origin" }.compactMap { $0["at"] }
        let naming = BankNaming(titles: [], origin: origins.first ?? "")
        var remarks = ScriptRemarks()
        remarks.head = [
            "Drafted from a survey, which leaves out customer data. “…” stands for what it leaves out.",
            "The bank is an app: the script makes its requests. Try it: countersign script run FILE",
        ]
        for (index, step) in calls.steps.enumerated() where !step.remarks.isEmpty {
            remarks.steps[index] = step.remarks
        }
        let script = BankScript(
            id: naming.id, name: naming.name, origins: origins, isForTesting: ScriptOrigins.areForTesting(origins),
            locale: survey.lines.first?["language"] ?? "en", steps: calls.steps.map(\.step), finally: calls.finally)
        self.init(script: script, remarks: remarks.numberingQuestions())
    }
}

/// Finds the parts of a survey that a script needs.
private struct SurveyReading {
    struct Page {
        let path: String
        var parts: [SurveyLine] = []

        /// The fields and buttons of each form.
        var forms: [[SurveyLine]] {
            var forms: [[SurveyLine]] = []
            var isInside = false
            for part in parts {
                if part.kind == "form" {
                    forms.append([])
                    isInside = true
                } else if part.depth < 2 {
                    isInside = false
                } else if isInside {
                    forms[forms.count - 1].append(part)
                }
            }
            return forms
        }
    }

    private(set) var pages: [Page] = []

    init(_ survey: Survey) {
        for line in survey.lines {
            switch line.kind {
            case "page": pages.append(Page(path: line["at"] ?? "/"))
            case "document", "json", "origin", Survey.title: break
            default: if !pages.isEmpty, line.depth > 0 { pages[pages.count - 1].parts.append(line) }
            }
        }
    }

    var signIn: Page? { pages.first { $0.forms.contains { $0.contains { $0["type"] == "password" } } } }

    func signingIn(on page: Page) -> [Action] {
        guard let form = page.forms.first(where: { $0.contains { $0["type"] == "password" } }) else { return [] }
        var actions: [Action] = []
        for field in form where field.kind == "field" {
            guard let locator = locator(of: field), field["type"] != "hidden" else { continue }
            switch field["type"] {
            case "password": actions.append(.fill(locator, .password))
            case "text", "email", "tel", "number": actions.append(.fill(locator, .username))
            default: break
            }
        }
        return actions + (button(of: form).map { [.press($0)] } ?? [])
    }

    var code: Action? {
        for form in pages.flatMap(\.forms) where !form.contains(where: { $0["type"] == "password" }) {
            let field = form.first { field in
                guard field.kind == "field", field["type"] != "hidden" else { return false }
                if field["autocomplete"] == "one-time-code" { return true }
                guard let length = field["maxlength"].flatMap({ Int($0) }), length <= 10 else { return false }
                return BankingWords.isCode(field.text ?? "") || BankingWords.isCode(field["name"] ?? "")
            }
            if let field, let locator = locator(of: field) {
                return .secondFactor(
                    SecondFactorStep(method: .code(field: locator, picture: nil), tries: 3, limit: .minutes(2)))
            }
        }
        return nil
    }

    /// The first link to statements on a page after the sign-in.
    var statementsLink: Locator? {
        let start = pages.firstIndex { $0.path == signIn?.path }.map { $0 + 1 } ?? 0
        for part in pages[start...].flatMap(\.parts) where part.kind == "link" {
            guard let text = part.text, !text.contains(SurveyMask.gap), BankingWords.isStatements(text) else {
                continue
            }
            return .link(.name(text))
        }
        return nil
    }

    /// The page with a table whose rows name months.
    var list: Page? {
        pages.first { $0.parts.contains { $0.kind == "column" && $0["holds"] == ValueShape.monthAndYear.rawValue } }
    }

    var fetching: [Action] {
        guard let list else { return [.download(DownloadStep(source: .control(.control("PDF"))))] }
        var actions: [Action] = []
        if let form = list.forms.first(where: { $0.contains { $0["options"] == "year" } }) {
            for field in form where field["options"] == "year" {
                if let locator = locator(of: field) { actions.append(.choose(locator, "{{ year }}")) }
            }
            if let button = button(of: form) { actions.append(.press(button)) }
        }
        let columns = list.parts.filter { $0.kind == "column" }
        let named = columns.lazy.compactMap { $0["link"] ?? $0["button"] }.first { !$0.contains(SurveyMask.gap) }
        let row = TextMatch.name("{{ month.name }} {{ year }}")
        let control = Locator.control(.name(named ?? "PDF"))
        let next = pages.flatMap(\.parts).first {
            $0.kind == "link" && ($0["rel"] == "next" || BankingWords.isNext($0.text ?? ""))
        }
        guard let next, let words = next.text, !words.contains(SurveyMask.gap) else {
            return actions + [.download(DownloadStep(source: .control(control.within(.row(row)))))]
        }
        let search = SearchStep(target: .row(row), next: .control(.name(words)), limit: 12)
        return actions + [.search(search), .download(DownloadStep(source: .control(control)))]
    }

    var signOut: Locator? {
        for part in pages.flatMap(\.parts) where part.kind == "button" || part.kind == "link" {
            guard let text = part.text, !text.contains(SurveyMask.gap), BankingWords.isSignOut(text) else { continue }
            return .button(.name(text))
        }
        return nil
    }

    /// Returns a locator by label, or by `name` when the survey leaves out the label.
    private func locator(of field: SurveyLine) -> Locator? {
        if let label = field.text, !label.isEmpty, !label.contains(SurveyMask.gap) { return .field(.name(label)) }
        guard let name = field["name"], name != SurveyMask.gap else { return nil }
        return .css("[name=\"\(name)\"]")
    }

    private func button(of form: [SurveyLine]) -> Locator? {
        form.first { $0.kind == "button" }?.text.flatMap { $0.contains(SurveyMask.gap) ? nil : .button(.name($0)) }
    }
}
