import BankScript
import Selectors

// Which click fetched the document.

extension StepRecordingDraft {
    /// Takes the click that names a month or a PDF for the download, otherwise the last click.
    mutating func findDownload() {
        if let index = drafted.firstIndex(where: { $0.step.action.as(DownloadStep.self) != nil }) {
            return leaveOutAfter(index)
        }
        func control(_ index: Int) -> Locator? {
            guard drafted[index].kind == .plain else { return nil }
            return drafted[index].step.action.clicked
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
    mutating func download(_ step: RecordedStep) {
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
        action.clicked.map(Self.asControl) == Self.asControl(next)
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
}

extension Action {
    /// The link or the button that the step clicks.
    fileprivate var clicked: Locator? { self.as(FollowStep.self)?.link ?? self.as(PressStep.self)?.button }
}
