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
    let recording: StepRecording
    var drafted: [DraftedStep] = []
    var finally: [Step] = []
    private var isInFinally = false
    /// The number of drafted steps before those that are repeated for each month; nil where none are.
    var periodStart: Int?
    var accountStart: Int?
    var typed = TypedTexts()
    /// Questions to write above the next step.
    var questions: [String] = []
    var foot: [String] = []
    var home: String?
    /// The frames around the page that the next step looks at.
    private var frames: [RecordedStep.Frame] = []
    /// The index of the step that sends the sign-in; nil without a password.
    var signIn: Int?
    /// The credentials by the element that they were typed into.
    var credentials: [Int: String] = [:]
    var password: Secret?

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
    var isScript: Bool { recording.header != nil }

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

    // MARK: One step

    /// Returns whether a click only put the cursor into a field that was filled in then.
    func isFocusing(_ index: Int) -> Bool {
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

    mutating func add(_ action: Action, _ kind: DraftedStep.Kind = .plain, remarks: [String] = []) {
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

    mutating func ask(_ question: String) { questions.append(DraftQuestion.mark + question) }

    mutating func askForElement(of step: RecordedStep) {
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
        if drafted.last?.step.action.as(SecondFactorStep.self) != nil, signsIn || !isScript, questions.isEmpty,
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
                .secondFactor(
                    SecondFactorStep(method: .code(field: field, picture: nil), tries: 3, limit: .minutes(2))),
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
        if drafted.last?.step.action.as(FillStep.self)?.field == field { drafted.removeLast() }
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
        if drafted.last?.step.action.as(SecondFactorStep.self) != nil { return }
        guard let selector = step.element?.bestSelector(hiding: typed) else {
            return ask("Which button did Enter press at \(step.place)? - press: …")
        }
        ask("Has the form a button? Enter was pressed; write - press: … with the button's name.")
        let isForm = (try? SelectorList(parsing: selector).selectors.last?.parts.last?.compound.type) == "form"
        add(
            .submit(SubmitStep(form: .css(isForm ? selector : "form:has(\(selector))"))), signsIn ? .signsIn : .plain,
            remarks: signsIn ? signInRemarks : [])
    }

}
