import BankScript
import Encodings
import Secrets
import Selectors

/// A script's steps as a user flow for Chrome's Recorder, to look at them in a browser.
///
/// Steps on a page become steps of the Recorder, with `$username` and `{{ year }}` in place of values. A step that the
/// Recorder does not have becomes a custom step, which holds it as YAML and which the Recorder passes over. Reading the file
/// again gives the same script.
public struct ChromeRecorderFile: Sendable {
    /// The name of the custom steps.
    static let stepName = "countersign"

    private let script: BankScript

    public init(_ script: BankScript) {
        self.script = script
    }

    /// The steps that the Recorder shows as its own, and the number of all steps.
    public var counts: (shown: Int, all: Int) {
        let all = script.stepsForOnePeriod + script.finally
        return (all.count { shown($0) != nil }, all.count)
    }

    /// The user flow.
    public var json: JSONValue {
        var header = script
        header.steps = []
        header.forEachAccount = []
        header.forEachPeriod = []
        header.finally = []
        var steps: [JSONValue] = [Self.custom(["script": .string(header.yaml())])]
        steps += script.steps.map(written)
        if !script.forEachAccount.isEmpty { steps.append(Self.custom(["forEachAccount": true])) }
        steps += script.forEachAccount.map(written)
        if !script.forEachPeriod.isEmpty { steps.append(Self.custom(["forEachPeriod": true])) }
        steps += script.forEachPeriod.map(written)
        if !script.finally.isEmpty { steps.append(Self.custom(["finally": true])) }
        steps += script.finally.map(written)
        return ["title": .string(script.name), "steps": .array(steps)]
    }

    private static func custom(_ parameters: JSONValue) -> JSONValue {
        ["type": "customStep", "name": .string(stepName), "parameters": parameters]
    }

    private func written(_ step: Step) -> JSONValue {
        shown(step) ?? Self.custom(["step": .string(Step.yaml([step]))])
    }

    /// Returns the Recorder's own step; nil when reading it would give another step of a script.
    private func shown(_ step: Step) -> JSONValue? {
        guard step.expected == nil, let recorded = recorded(step.action) else { return nil }
        var header = script
        header.steps = []
        header.forEachAccount = []
        header.forEachPeriod = []
        header.finally = []
        let flow: JSONValue = ["steps": [Self.custom(["script": .string(header.yaml())]), recorded]]
        var reader = ChromeRecordingReader()
        guard let recording = try? reader.read(flow), let again = try? ScriptDraft(recording: recording).script
        else { return nil }
        header.steps = [Step(step.action)]
        guard again.digest == header.digest else { return nil }
        return recorded
    }

    private func recorded(_ action: Action) -> JSONValue? {
        switch action.kind {
        case let open as OpenStep:
            guard let home = script.origins.first else { return nil }
            let reference = open.reference.source
            return ["type": "navigate", "url": .string(reference.hasPrefix("/") ? home + reference : reference)]
        case let follow as FollowStep: return click(follow.link)
        case let press as PressStep: return click(press.button)
        case let check as CheckStep where check.isOn: return click(check.box, as: "checkbox")
        case let fill as FillStep: return Self.typed(fill.value).flatMap { change(fill.field, to: $0) }
        case let choose as ChooseStep:
            return Self.typed(choose.option).flatMap { change(choose.list, to: $0, as: "combobox") }
        default: return nil
        }
    }

    private static func typed(_ value: Value) -> String? {
        switch value {
        case .credential(let name): "$" + name
        case .template(let text): text.source
        case .captured, .number, .character: nil
        }
    }

    private func click(_ locator: Locator, as role: String? = nil) -> JSONValue? {
        guard let selectors = Self.selectors(locator, role) else { return nil }
        // The Recorder needs a place in the element, in pixels from its top left corner.
        return ["type": "click", "selectors": selectors, "offsetX": 1, "offsetY": 1]
    }

    private func change(_ locator: Locator, to value: String, as role: String? = nil) -> JSONValue? {
        guard let selectors = Self.selectors(locator, role) else { return nil }
        return ["type": "change", "selectors": selectors, "value": .string(value)]
    }

    private static func selectors(_ locator: Locator, _ role: String?) -> JSONValue? {
        var selectors: [JSONValue] = []
        for way in locator.ways {
            guard way.hasText == nil, way.scope.isEmpty, way.nth == nil, let selector = selector(way, role) else {
                return nil
            }
            selectors.append([.string(selector)])
        }
        return .array(selectors)
    }

    private static func selector(_ locator: Locator, _ role: String?) -> String? {
        switch locator.target {
        case .css(let selector): selector
        case .xpath(let path): "xpath/" + path
        case .field(.name(let name)): "aria/\(name)" + (role.map { "[role=\"\($0)\"]" } ?? "")
        case .button(.name(let name)): "aria/\(name)[role=\"button\"]"
        case .link(.name(let name)): "aria/\(name)[role=\"link\"]"
        case .control(.name(let name)): "aria/\(name)"
        default: nil
        }
    }
}
