import Authoring
import BankScript
import HTMLAutomation
import Secrets
import Selectors

extension ScriptDraft {
    /// Drafts a script from what a person did on the pages.
    ///
    /// Passwords and names of users become credentials, codes become second factors, the last click becomes the download.
    /// Any other typed text stays out of the draft. What the recording does not tell becomes a question.
    ///
    /// - Throws: ``DraftError`` when the recording opens no page of a bank.
    public init(recording: StepRecording) throws(DraftError) {
        var draft = StepRecordingDraft(recording)
        self = try draft.make().checkedToReadBack()
    }
}

/// Turns the steps of a recording into steps of a script.
struct StepRecordingDraft {
    private let recording: StepRecording
    private var drafted: [DraftedStep] = []
    private var finally: [Step] = []
    private var isInFinally = false
    /// The number of drafted steps before those that are repeated for each month; nil where none are.
    private var periodStart: Int?
    private var accountStart: Int?
    private var typed = TypedTexts()
    /// Questions to write above the next step.
    private var questions: [String] = []
    private var foot: [String] = []
    private var home: String?
    /// The frames around the page that the next step looks at.
    private var frames: [RecordedStep.Frame] = []
    /// The index of the step that sends the sign-in; nil without a password.
    private var signIn: Int?
    /// The credentials by the element that they were typed into.
    private var credentials: [Int: String] = [:]
    private var password: Secret?

    init(_ recording: StepRecording) {
        self.recording = recording
    }

    /// The typed credentials by name, once the draft is made.
    var typedCredentials: [String: Secret] {
        var values: [String: Secret] = [:]
        for (index, name) in credentials {
            if case .type(let secret) = recording.steps[index].action { values[name] = secret }
        }
        return values
    }

    /// The recording was made of a script, so it has placeholders in place of typed texts.
    private var isScript: Bool { recording.header != nil }

    mutating func make() throws(DraftError) -> ScriptDraft {
        let opened = recording.steps.lazy.compactMap { step in
            if case .open(let url) = step.action { ScriptOrigins.one(of: url) } else { nil }
        }
        home = recording.header?.origins.first ?? opened.first
        guard home != nil else {
            throw DraftError(
                message: "the recording opens no page with an address of http or https; record the visit from the "
                    + "bank's first page on")
        }
        findCredentials()
        for index in recording.steps.indices where !isFocusing(index) { take(index) }
        if !isScript { findDownload() }
        if !questions.isEmpty { foot += questions }
        return finished()
    }

    // MARK: Typed texts

    /// Decides which typed texts are credentials. All the others are kept out of the draft, too.
    private mutating func findCredentials() {
        let steps = recording.steps
        func typed(_ index: Int) -> Secret? {
            if case .type(let secret) = steps[index].action { secret } else { nil }
        }
        for index in steps.indices {
            switch steps[index].action {
            case .type(let secret) where placeholder(secret, in: steps[index].element) == nil: self.typed.add(secret)
            case .choose(let secret) where !isScript && isBeforeSignIn(index): self.typed.add(secret)
            default: break
            }
        }
        let passwords = steps.indices.filter { typed($0) != nil && isPassword(steps[$0].element) }
        guard let first = passwords.first else { return }
        password = typed(first)
        signIn = steps.indices.first { $0 > first && Self.sends(steps[$0]) && !isFocusing($0) }
        let form = steps.indices.filter { $0 < signIn ?? steps.count && typed($0) != nil && !isCode(steps[$0].element) }
        var names: Set<String> = []
        let named = form.first { Self.mentions(steps[$0].element, BankingWords.isUsername) && !passwords.contains($0) }
        let username = named ?? form.last { $0 < first && !passwords.contains($0) }
        for index in form {
            let name = index == first ? "password" : index == username ? "username" : slug(steps[index].element)
            credentials[index] = names.insert(name).inserted ? name : "\(name)_\(names.count)"
        }
        for index in passwords where index > signIn ?? steps.count {
            let isSame = typed(index).flatMap { secret in password.map(secret.isEqual) } ?? false
            credentials[index] = isSame ? "password" : slug(steps[index].element)
        }
    }

    /// Returns whether an option was chosen before the sign-in was sent: it may be a character of a secret word.
    private func isBeforeSignIn(_ index: Int) -> Bool {
        let last = recording.steps.lastIndex { isPassword($0.element) && Self.isTyping($0) } ?? 0
        return index < last
    }

    private static func isTyping(_ step: RecordedStep) -> Bool { if case .type = step.action { true } else { false } }

    private static func sends(_ step: RecordedStep) -> Bool {
        switch step.action {
        case .click: step.element?.role != .box && step.element?.role != .field && step.element?.role != .list
        case .submit: true
        default: false
        }
    }

    private static func mentions(_ element: RecordedElement?, _ test: (String) -> Bool) -> Bool {
        element?.hints.contains(where: test) ?? false
    }

    private func isPassword(_ element: RecordedElement?) -> Bool {
        Self.mentions(element, BankingWords.isPassword) && !Self.mentions(element, BankingWords.isCode)
    }

    private func isCode(_ element: RecordedElement?) -> Bool { Self.mentions(element, BankingWords.isCode) }

    private func slug(_ element: RecordedElement?) -> String {
        let id = element?.css.lazy.compactMap { $0.firstMatch(of: /[#"=]([A-Za-z][\w-]*)/) }.first.map { String($0.1) }
        let source = element?.name.flatMap { typed.occur(in: $0) ? nil : $0 } ?? id ?? "second"
        let letters = source.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let text = String(letters).split(separator: "_").joined(separator: "_")
        return text.first?.isLetter == true ? text : "second"
    }

    /// Returns the value that a recording of a script has in place of a typed text; nil for a typed text.
    private func placeholder(_ secret: Secret, in element: RecordedElement?) -> Value? {
        guard let header = recording.header else { return nil }
        let text = secret.revealed()
        if text.hasPrefix("$"), header.credentials.contains(String(text.dropFirst())) {
            return .credential(String(text.dropFirst()))
        }
        let template = Template(text)
        guard !isPassword(element), !template.names.isEmpty else { return nil }
        return .template(template)
    }

    // MARK: One step

    /// Returns whether a click only put the cursor into a field that was filled in then.
    private func isFocusing(_ index: Int) -> Bool {
        let step = recording.steps[index]
        guard case .click = step.action, let element = step.element else { return false }
        if element.role == .field || element.role == .list { return true }
        if ["body", "html"].contains(where: { element.css.contains($0) }) { return true }
        guard index + 1 < recording.steps.count, let next = recording.steps[index + 1].element else { return false }
        switch recording.steps[index + 1].action {
        case .type, .choose, .check: return next.isSame(as: element)
        default: return false
        }
    }

    private mutating func take(_ index: Int) {
        let step = recording.steps[index]
        enterFrames(of: step)
        switch step.action {
        case .open(let url): open(url)
        case .click where step.isDownload: download(step)
        case .click: click(step, signsIn: index == signIn)
        case .type(let secret): type(secret, step, as: credentials[index])
        case .choose(let option): choose(option, step, isHidden: !isScript && isBeforeSignIn(index))
        case .check(let isOn):
            if let box = step.element?.field(hiding: typed) { add(.check(box, isOn)) } else { askForElement(of: step) }
        case .submit: submit(step, signsIn: index == signIn)
        case .expectShown:
            if let element = step.element?.control(hiding: typed) {
                add(.expect(.shows(element)))
            } else {
                askForElement(of: step)
            }
        case .expectTitle(let title):
            if !typed.occur(in: title) { add(.expect(.titled(Template(title)))) }
        case .script(let steps): for own in steps { add(own) }
        case .forEachAccount: accountStart = drafted.count
        case .forEachPeriod: periodStart = drafted.count
        case .finally: isInFinally = true
        case .unknown(let words):
            ask("What does the script do here? \(words.first?.uppercased() ?? "")\(words.dropFirst()) (\(step.place)).")
        }
    }

    private mutating func add(_ action: Action, _ kind: DraftedStep.Kind = .plain, remarks: [String] = []) {
        guard !isInFinally else { return finally.append(Step(action)) }
        let asked = questions
        questions = []
        drafted.append(DraftedStep(action, kind, remarks: asked + remarks))
    }

    private mutating func add(_ step: Step) {
        add(step.action)
        if isInFinally {
            finally[finally.count - 1].expected = step.expected
        } else {
            drafted[drafted.count - 1].step.expected = step.expected
        }
    }

    private mutating func ask(_ question: String) { questions.append(DraftQuestion.mark + question) }

    private mutating func askForElement(of step: RecordedStep) {
        ask(
            "Which element is meant at \(step.place)? Its names hold typed texts, or shadow DOM that no selector enters."
        )
    }

    private mutating func enterFrames(of step: RecordedStep) {
        guard step.frames != frames else { return }
        if step.hasLeftFrames { frames = [] }
        if step.frames.starts(with: frames) {
            for frame in step.frames.dropFirst(frames.count) { enter(frame) }
        } else if case .open = step.action {
            // A page that is opened has no frame around it.
        } else {
            ask(
                "How does the script come back from the frame before \(step.place)? A script enters frames and leaves "
                    + "them by opening or following a page of its own.")
        }
        frames = step.frames
    }

    private mutating func enter(_ frame: RecordedStep.Frame) {
        switch frame {
        case .position(let position):
            ask("Which frame is it? The recording has only its position. Name it: - enter: \"iframe[name=main]\"")
            add(.enter(.css("iframe, frame").nth(position + 1)))
        case .element(let element):
            if let selector = element.bestSelector(hiding: typed) {
                add(.enter(.css(selector)))
            } else if let path = element.xpath.first {
                add(.enter(.xpath(path)))
            }
        }
    }

    private mutating func open(_ url: String) {
        frames = []
        let address = RecordedAddress(url, home: home ?? "", hiding: typed, isScript: isScript)
        for name in address.removed {
            ask("Does the address need “\(name)”? Its value is left out, because it may be a secret.")
        }
        add(.open(Template(address.reference)))
    }

    private mutating func click(_ step: RecordedStep, signsIn: Bool) {
        guard let element = step.element, let control = element.control(hiding: typed) else {
            return askForElement(of: step)
        }
        if element.role == .box { return add(.check(control, true)) }
        // The second factor sends its code itself.
        if case .secondFactor? = drafted.last?.step.action, signsIn || !isScript, questions.isEmpty,
            isCodeSent(by: step)
        {
            return
        }
        if !isScript, element.role == nil, !signsIn {
            ask("Is \(control) a button or a link? If it is a box, write: - check: …")
        }
        if !isScript, !isInFinally, BankingWords.isSignOut(element.words ?? "") {
            questions = questions.filter { !$0.contains("a button or a link?") }
            finally = [Step(element.role == .link ? .follow(control) : .press(control))]
            return
        }
        let action: Action = element.role == .link ? .follow(control) : .press(control)
        add(action, signsIn ? .signsIn : .plain, remarks: signsIn ? signInRemarks : [])
    }

    /// Returns whether the click is the first thing after a code was typed.
    private func isCodeSent(by step: RecordedStep) -> Bool {
        guard let index = recording.steps.firstIndex(where: { $0.place == step.place }) else { return false }
        let before = recording.steps[..<index].lastIndex { Self.isTyping($0) }
        guard let before, isCode(recording.steps[before].element) else { return false }
        return !recording.steps[(before + 1)..<index].contains { Self.sends($0) }
    }

    private var signInRemarks: [String] {
        guard !isScript else { return [] }
        return [
            DraftQuestion.mark + "What does the page show after a wrong password? Describe it below: "
                + "- fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }"
        ]
    }

    private mutating func type(_ secret: Secret, _ step: RecordedStep, as credential: String?) {
        guard let element = step.element, let field = element.field(hiding: typed) else {
            return askForElement(of: step)
        }
        if let value = placeholder(secret, in: element) { return add(.fill(field, value)) }
        if let credential { return fill(field, with: credential) }
        if isCode(element) {
            return add(
                .secondFactor(SecondFactorStep(method: .code(field: field, picture: nil), limit: .minutes(2))),
                .signsIn,
                remarks: ["The code comes from your authenticator if one is linked; otherwise you are asked for it."])
        }
        let text = secret.revealed()
        if let year = Int(text), 1990...2100 ~= year { return add(.fill(field, .template("{{ year }}"))) }
        ask(
            "What goes into \(field)? The typed text is left out, because it may be a secret. "
                + "- fill: { \(element.name ?? "css: …, with"): … }")
    }

    private mutating func fill(_ field: Locator, with credential: String) {
        // A person may have corrected what was typed.
        if case .fill(field, _)? = drafted.last?.step.action, !drafted.isEmpty { drafted.removeLast() }
        add(.fill(field, .credential(credential)))
    }

    private mutating func choose(_ option: Secret, _ step: RecordedStep, isHidden: Bool) {
        guard let list = step.element?.field(hiding: typed) else { return askForElement(of: step) }
        guard !isHidden else {
            return ask("Which option of \(list) is chosen? It is left out, because it may be a secret.")
        }
        add(.choose(list, .template(Template(option.revealed()))))
    }

    /// Enter in a field presses the form's first button, whose name the recording does not have.
    private mutating func submit(_ step: RecordedStep, signsIn: Bool) {
        if case .secondFactor? = drafted.last?.step.action { return }
        guard let selector = step.element?.bestSelector(hiding: typed) else {
            return ask("Which button did Enter press at \(step.place)? - press: …")
        }
        ask("Has the form a button? Enter was pressed; write - press: … with the button's name.")
        let isForm = (try? SelectorList(parsing: selector).selectors.last?.parts.last?.compound.type) == "form"
        add(
            .submit(SubmitStep(form: .css(isForm ? selector : "form:has(\(selector))"))), signsIn ? .signsIn : .plain,
            remarks: signsIn ? signInRemarks : [])
    }

    // MARK: The document

    /// Takes the click that names a month or a PDF for the download, otherwise the last click.
    private mutating func findDownload() {
        if let index = drafted.firstIndex(where: { if case .download = $0.step.action { true } else { false } }) {
            return leaveOutAfter(index)
        }
        func control(_ index: Int) -> Locator? {
            guard drafted[index].kind == .plain else { return nil }
            switch drafted[index].step.action {
            case .follow(let control), .press(let control): return control
            default: return nil
            }
        }
        let clicks = drafted.indices.filter { control($0) != nil }
        let telling = clicks.last { Self.namesDocument(control($0)?.description ?? "", locale) }
        guard let index = telling ?? clicks.last, let found = control(index) else {
            foot.append(DraftQuestion.mark + "Which link or button fetches the statement? - download: PDF")
            return
        }
        leaveOutAfter(index)
        var step = drafted[index]
        step.step.action = .download(DownloadStep(source: .control(Self.asControl(found))))
        step.remarks.removeAll { $0.contains("a button or a link?") }
        if RecordedMonth(in: found.description, locale: locale) == nil {
            step.remarks.append(
                DraftQuestion.mark
                    + (telling == nil
                        ? "Does this fetch the statement? If so, which month's? " : "Which month's is it? ")
                    + "If there is one for each month, name its row: "
                    + "- download: { control: PDF, in: \"{{ month.name }} {{ year }}\" }")
        }
        drafted[index] = step
    }

    private mutating func leaveOutAfter(_ index: Int) {
        let later = drafted[(index + 1)...]
        guard !later.isEmpty else { return }
        foot.append("Left out, because it was done after the download:")
        foot += Step.yaml(later.map(\.step)).split(separator: "\n").map { "  \($0)" }
        drafted.removeSubrange((index + 1)...)
    }

    /// Drafts the click that brought the document. Where the list has several pages, all are searched, instead of the
    /// page on which the recorded month was.
    private mutating func download(_ step: RecordedStep) {
        guard let element = step.element, let control = element.control(hiding: typed) else {
            return askForElement(of: step)
        }
        var remarks: [String] = []
        if let month = element.month, let next = element.turning, !control.scope.isEmpty {
            while let last = drafted.last, last.kind == .plain, turns(last.step.action, next) { drafted.removeLast() }
            add(.search(SearchStep(target: .row(.name(month)), next: next, limit: Self.mostPages)))
            var inner = control
            inner.scope = []
            return add(.download(DownloadStep(source: .control(Self.asControl(inner)))))
        }
        let actions = drafted.map(\.step.action)
        if RecordedMonth(in: control.description, locale: locale) == nil,
            RecordedMonth(chosenBy: actions, locale: locale) == nil
        {
            remarks.append(DraftQuestion.mark + "Which month's is it? Nothing that was clicked or chosen names one.")
        }
        add(.download(DownloadStep(source: .control(Self.asControl(control)))), remarks: remarks)
    }

    /// The number of pages of a list that a drafted script looks at.
    private static let mostPages = 24

    private func turns(_ action: Action, _ next: Locator) -> Bool {
        switch action {
        case .press(let control), .follow(let control): Self.asControl(control) == Self.asControl(next)
        default: false
        }
    }

    private static func namesDocument(_ words: String, _ locale: String) -> Bool {
        RecordedMonth(in: words, locale: locale) != nil || words.lowercased().contains(/\bpdf\b|download|herunterladen/)
    }

    /// A download presses a button or follows a link, whichever has the name.
    private static func asControl(_ locator: Locator) -> Locator {
        var copy = locator
        switch locator.target {
        case .button(let name), .link(let name): copy.target = .control(name)
        default: break
        }
        return copy
    }

    // MARK: The script

    private var locale: String {
        let names = recording.steps.compactMap { $0.element?.words } + recording.titles
        let known = recording.steps.lazy.compactMap { $0.element?.language }.first
        return recording.header?.locale ?? known ?? MonthNames.language(of: names) ?? "en"
    }

    /// The month in the download's name.
    private var documentPeriod: RecordedMonth? {
        for action in drafted.map(\.step.action) {
            if case .search(let search) = action, case .html(let rows, _) = search.pages {
                return RecordedMonth(in: rows.description, locale: locale)
            }
            guard case .download(let download) = action else { continue }
            if case .control(let control) = download.source {
                return RecordedMonth(in: control.description, locale: locale)
            }
        }
        return nil
    }

    private mutating func finished() -> ScriptDraft {
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
