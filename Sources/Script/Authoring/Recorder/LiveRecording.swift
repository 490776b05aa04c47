import BankScript
import BrowserAutomation
import HTMLEngine
import Markup
import Secrets
import Selectors

/// A visit in a browser's window that becomes a script while it goes on.
///
/// Each element is named as a script finds it, on the page as it was. Typed texts are secrets and never part of the draft.
public struct LiveRecording: Sendable {
    private var recording: StepRecording

    /// - Parameter url: the address that the visit begins at.
    public init(openedAt url: String) {
        recording = StepRecording(.browser, [RecordedStep(action: .open(url), place: "the first page")])
    }

    public var hasDownload: Bool { recording.steps.contains(where: \.isDownload) }

    /// Adds an action of the person.
    public mutating func add(_ action: VisitorAction) {
        if let title = action.page?.document.title, !title.isEmpty, !recording.titles.contains(title) {
            recording.titles.append(title)
        }
        if let url = action.page?.url, !recording.addresses.contains(url) { recording.addresses.append(url) }
        let kind: RecordedStep.Action
        switch action.kind {
        case .click: kind = .click
        case .type(let text): kind = .type(text)
        case .choose(let option): kind = .choose(Secret(option))
        case .check(let isOn): kind = .check(isOn)
        case .submit: kind = .submit
        case .download:
            guard !hasDownload, let index = recording.steps.lastIndex(where: { $0.action.isClick }) else { return }
            recording.steps[index].isDownload = true
            return
        }
        let element = action.element.flatMap { element in
            action.page.map { RecordedElement(element, on: $0.document) }
        }
        recording.steps.append(
            RecordedStep(
                action: kind, element: element, frames: action.frames.map(RecordedStep.Frame.init),
                hasLeftFrames: action.hasLeftFrames, place: "step \(recording.steps.count + 1)"))
    }

    /// Removes the last action; false when only the first page is left.
    public mutating func removeLast() -> Bool {
        guard recording.steps.count > 1 else { return false }
        recording.steps.removeLast()
        return true
    }

    /// Returns the script of the visit so far.
    ///
    /// - Throws: ``DraftError``.
    public func draft() throws(DraftError) -> ScriptDraft { try ScriptDraft(recording: recording) }

    /// The typed credentials by their names in the draft.
    public var credentials: [String: Secret] {
        var draft = StepRecordingDraft(recording)
        _ = try? draft.make()
        return draft.typedCredentials
    }
}

extension RecordedStep.Action {
    fileprivate var isClick: Bool { if case .click = self { true } else { false } }
}

extension RecordedStep.Frame {
    fileprivate init(_ frame: VisitorAction.Frame) {
        var element = RecordedElement()
        if RecordedElement.isPlain(frame.id) { element.css.append("#\(frame.id)") }
        if RecordedElement.isPlain(frame.name) { element.css.append("iframe[name=\(frame.name)]") }
        self = element.css.isEmpty ? .position(frame.position) : .element(element)
    }
}

extension RecordedElement {
    /// Describes an element of a page that is known as a whole.
    init(_ element: Element, on document: Document) {
        let naming = UniqueNaming(document)
        name = element.accessibleName.isEmpty ? nil : element.accessibleName
        let role = naming.role(of: element)
        self.role = role
        for attribute in ["id", "name", "type", "autocomplete"] {
            guard let value = element[attribute: attribute], Self.isPlain(value) else { continue }
            css.append(attribute == "id" ? "#\(value)" : "\(element.name)[\(attribute)=\(value)]")
        }
        written = ["\(element.name) \(css.joined(separator: " ")) \(name ?? "")"]
        let (locator, month) = naming.locator(for: element, role)
        known = locator
        self.month = month
        guard month != nil else { return }
        language = naming.locale
        turning = naming.turning(besides: element)
    }

    /// Returns whether a value can stand in a selector without quotes.
    static func isPlain(_ value: String) -> Bool { value.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_-]*/) != nil }
}
