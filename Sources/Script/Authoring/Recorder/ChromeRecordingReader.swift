import BankScript
import Encodings
import Secrets

/// Reads the user flow that Chrome's Recorder exports as JSON
/// (https://github.com/puppeteer/replay/blob/main/docs/api/interfaces/Schema.UserFlow.md).
struct ChromeRecordingReader {
    private var steps: [RecordedStep] = []
    private var addresses: [String] = []
    private var titles: [String] = []
    private var header: BankScript?
    /// The element that was clicked or filled in last, where a key is pressed.
    private var focused: RecordedElement?

    mutating func read(_ flow: JSONValue) throws(StepRecordingError) -> StepRecording {
        for (index, step) in (flow["steps"]?.arrayValue ?? []).enumerated() {
            guard let type = step["type"]?.stringValue else {
                throw StepRecordingError(
                    .malformed, at: "step \(index + 1)", "it has no “type”; export the recording as JSON again")
            }
            try read(step, type, at: "step \(index + 1) (\(type))")
        }
        var recording = StepRecording(.chromeRecorder, steps)
        recording.addresses = addresses
        recording.titles = titles
        recording.header = header
        return recording
    }

    private mutating func read(
        _ step: JSONValue, _ type: String, at place: String
    ) throws(StepRecordingError) {
        for event in step["assertedEvents"]?.arrayValue ?? [] {
            if let url = event["url"]?.stringValue, !url.isEmpty { addresses.append(url) }
            if let title = event["title"]?.stringValue, !title.isEmpty { titles.append(title) }
        }
        switch type {
        case "navigate": try add(.open(text("url", of: step, at: place)), at: place)
        case "click", "doubleClick":
            // The other buttons open menus of the browser.
            guard ["primary", nil].contains(step["button"]?.stringValue) else { return }
            try addToElement(.click, step, at: place)
        case "change":
            let element = try element(of: step, at: place)
            let typed = Secret(try text("value", of: step, at: place))
            focused = element
            try add(element.role == .list ? .choose(typed) : .type(typed), element, step, at: place)
        case "keyDown":
            guard ["Enter", "NumpadEnter"].contains(step["key"]?.stringValue), let focused else { return }
            try add(.submit, focused, step, at: place)
        case "waitForElement":
            let isPlain =
                [nil, ">=", "=="].contains(step["operator"]?.stringValue)
                && [nil, 1].contains(step["count"]?.numberValue)
                && step["visible"]?.boolValue != false && step["properties"] == nil && step["attributes"] == nil
            try addToElement(
                isPlain ? .expectShown : .unknown("the recording waited for an element in a special state"), step,
                at: place)
        case "waitForExpression": try add(.unknown("the recording waited for a JavaScript expression"), at: place)
        case "customStep": try readCustomStep(step, at: place)
        case "keyUp", "hover", "scroll", "setViewport", "emulateNetworkConditions", "close": return
        default: try add(.unknown("the recording has a step of the type “\(type)”"), at: place)
        }
    }

    private mutating func add(
        _ action: RecordedStep.Action, _ element: RecordedElement? = nil, _ step: JSONValue = .null, at place: String
    ) throws(StepRecordingError) {
        var frames: [RecordedStep.Frame] = []
        for frame in step["frame"]?.arrayValue ?? [] {
            guard let position = frame.intValue, position >= 0 else {
                throw StepRecordingError(
                    .malformed, at: place, "“frame” must be a list of whole numbers; export the recording again")
            }
            frames.append(.position(position))
        }
        steps.append(RecordedStep(action: action, element: element, frames: frames, place: place))
    }

    private mutating func addToElement(
        _ action: RecordedStep.Action, _ step: JSONValue, at place: String
    ) throws(StepRecordingError) {
        let element = try element(of: step, at: place)
        focused = element
        try add(action, element, step, at: place)
    }

    private func text(_ name: String, of step: JSONValue, at place: String) throws(StepRecordingError) -> String {
        guard let text = step[name]?.stringValue else {
            throw StepRecordingError(
                .malformed, at: place, "it has no text “\(name)”; export the recording as JSON again")
        }
        return text
    }

    // MARK: Selectors

    /// Each selector is a text, or a list of texts of which the last one finds the element inside the others.
    private func element(of step: JSONValue, at place: String) throws(StepRecordingError) -> RecordedElement {
        var ways: [[String]] = []
        for selector in step["selectors"]?.arrayValue ?? [] {
            let parts = selector.stringValue.map { [$0] } ?? (selector.arrayValue ?? []).compactMap(\.stringValue)
            if !parts.isEmpty { ways.append(parts) }
        }
        guard let first = ways.first else {
            throw StepRecordingError(.malformed, at: place, "it has no “selectors”; export the recording as JSON again")
        }
        // In a recording of Chrome, all ways describe one element. In one made of a script, each is a way of `any`.
        guard header != nil else { return Self.element(ways) }
        var element = Self.element([first])
        element.alternatives = ways.dropFirst().map { Self.element([$0]) }
        return element
    }

    private static func element(_ ways: [[String]]) -> RecordedElement {
        var element = RecordedElement()
        var pierced: [String] = []
        for way in ways {
            element.written.insert(way.joined(separator: " >> "))
            guard let last = way.last else { continue }
            if last.hasPrefix("aria/") {
                addAccessible(way, to: &element)
            } else if last.hasPrefix("xpath/") {
                element.add(xpath: String(last.dropFirst("xpath/".count)))
            } else if last.hasPrefix("text/") {
                element.text = element.text ?? String(last.dropFirst("text/".count))
            } else if last.hasPrefix("pierce/") {
                pierced.append(String(last.dropFirst("pierce/".count)))
            } else if way.count == 1 {
                element.add(css: last)
            }
        }
        if element.css.isEmpty { for selector in pierced { element.add(css: selector) } }
        return element
    }

    /// Reads `aria/Name[role="button"]`. An element without a name of its own stands inside one that has it.
    private static func addAccessible(_ way: [String], to element: inout RecordedElement) {
        for part in way.reversed() where part.hasPrefix("aria/") {
            let selector = part.dropFirst("aria/".count)
            let attributes = selector.matches(of: /\[\s*(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')\s*\]/)
            if let role = attributes.first(where: { $0.1 == "role" }), element.role == nil {
                element.role = RecordedElement.role(named: String(role.2 ?? role.3 ?? ""))
            }
            let named = attributes.first { $0.1 == "name" }.map { String($0.2 ?? $0.3 ?? "") }
            let name = named ?? selector.replacing(/\[\s*\w+\s*=\s*(?:"[^"]*"|'[^']*')\s*\]/, with: "").spaced
            if !name.isEmpty {
                element.name = element.name ?? name
                return
            }
        }
    }

    // MARK: Steps of a script

    private mutating func readCustomStep(_ step: JSONValue, at place: String) throws(StepRecordingError) {
        guard step["name"]?.stringValue == ChromeRecorderFile.stepName, let parameters = step["parameters"] else {
            let name = step["name"]?.stringValue.map { " “\($0)”" } ?? ""
            return try add(.unknown("the recording has a custom step\(name)"), at: place)
        }
        do {
            if let text = parameters["script"]?.stringValue {
                var script = try BankScript(yaml: text + "- open: /\n", file: place)
                script.steps = []
                script.forEachAccount = []
                script.forEachPeriod = []
                header = script
            } else if let text = parameters["step"]?.stringValue {
                try add(.script(try Step.reading(yaml: text, file: place)), at: place)
            } else if parameters["forEachAccount"]?.boolValue == true {
                try add(.forEachAccount, at: place)
            } else if parameters["forEachPeriod"]?.boolValue == true {
                try add(.forEachPeriod, at: place)
            } else if parameters["finally"]?.boolValue == true {
                try add(.finally, at: place)
            }
        } catch let error as ScriptSyntaxError {
            throw StepRecordingError(
                .malformed, at: place, "\(error.message); export the script again")
        } catch let error as StepRecordingError {
            throw error
        } catch {
            throw StepRecordingError(.malformed, at: place, "\(error); export the script again")
        }
    }
}

extension StringProtocol {
    /// The text with single spaces, and none around it.
    var spaced: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
