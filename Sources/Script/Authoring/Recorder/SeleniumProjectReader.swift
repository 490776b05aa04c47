import Encodings
import Secrets

/// Reads a test of a Selenium IDE project (`.side`, https://www.selenium.dev/selenium-ide/docs/en/api/commands).
struct SeleniumProjectReader {
    private let home: String
    private let test: JSONValue
    private let testName: String
    private var frames: [RecordedStep.Frame] = []
    private var steps: [RecordedStep] = []

    /// - Parameter test: the name of the test; not needed when only one has commands.
    init(_ project: JSONValue, test name: String?) throws(StepRecordingError) {
        let tests = (project["tests"]?.arrayValue ?? []).filter { $0["commands"]?.arrayValue?.isEmpty == false }
        let names = tests.map { $0["name"]?.stringValue ?? "" }
        let listed = names.map { "“\($0)”" }.joined(separator: ", ")
        guard let first = tests.first else {
            throw StepRecordingError(
                .noSteps, "no test of the project has commands; record the visit, and save it then")
        }
        if let name {
            guard let index = names.firstIndex(of: name) else {
                throw StepRecordingError(.noSuchTest, "the project has no test “\(name)”; it has \(listed)")
            }
            test = tests[index]
        } else {
            guard tests.count == 1 else {
                throw StepRecordingError(
                    .severalTests, "the project has \(tests.count) tests, \(listed); name one with --test")
            }
            test = first
        }
        testName = test["name"]?.stringValue ?? ""
        home = project["url"]?.stringValue ?? ""
    }

    func read() throws(StepRecordingError) -> StepRecording {
        var copy = self
        for (index, command) in (test["commands"]?.arrayValue ?? []).enumerated() {
            let number = "test “\(testName)”, command \(index + 1)"
            guard let name = command["command"]?.stringValue else {
                throw StepRecordingError(.malformed, at: number, "it has no “command”; save the project again")
            }
            // Selenium IDE writes two slashes before a command that is switched off.
            guard !name.hasPrefix("//"), !name.isEmpty else { continue }
            try copy.read(command, name, at: "\(number) (\(name))")
        }
        return StepRecording(.seleniumIDE, copy.steps)
    }

    private mutating func read(
        _ command: JSONValue, _ name: String, at place: String
    ) throws(StepRecordingError) {
        let value = command["value"]?.stringValue ?? ""
        switch name {
        case "open": steps.append(RecordedStep(action: .open(try address(command, at: place)), place: place))
        case "click", "clickAt", "doubleClick", "doubleClickAt": try add(.click, command, at: place)
        case "type": try add(.type(Secret(value)), command, at: place)
        case "sendKeys":
            if ["${KEY_ENTER}", "${KEY_RETURN}"].contains(value) {
                try add(.submit, command, at: place)
            } else if value.wholeMatch(of: /\$\{KEY_\w+\}/) == nil {
                try add(.type(Secret(value)), command, at: place)
            }
        case "select":
            let option = value.split(separator: "=", maxSplits: 1).map(String.init)
            let isNamed = option.count == 2 && ["label", "value", "id"].contains(option[0])
            if option.first == "index" {
                try add(.unknown("an option was chosen by its position"), command, at: place)
            } else {
                try add(.choose(Secret(isNamed ? option[1] : value)), command, at: place)
            }
        case "check", "uncheck": try add(.check(name == "check"), command, at: place)
        case "submit": try add(.submit, command, at: place)
        case "selectFrame": try selectFrame(command, at: place)
        case "waitForElementPresent", "waitForElementVisible", "assertElementPresent", "verifyElementPresent":
            try add(.expectShown, command, at: place)
        case "assertTitle", "verifyTitle":
            let title = command["target"]?.stringValue ?? ""
            steps.append(RecordedStep(action: .expectTitle(title), place: place))
        case "setWindowSize", "mouseOver", "mouseOut", "mouseDown", "mouseUp", "mouseMoveAt", "mouseDownAt",
            "mouseUpAt", "close", "pause", "echo", "selectWindow", "storeWindowHandle", "runScript":
            return
        default:
            steps.append(
                RecordedStep(action: .unknown("the recording has the command “\(name)”"), frames: frames, place: place))
        }
    }

    private func address(_ command: JSONValue, at place: String) throws(StepRecordingError) -> String {
        let target = command["target"]?.stringValue ?? ""
        if target.contains("://") { return target }
        guard home.contains("://") else {
            throw StepRecordingError(
                .malformed, at: place,
                "the project has no “url” that “\(target)” belongs to; set the base URL in Selenium IDE, and save again"
            )
        }
        let origin = home.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
            .joined(separator: "/")
        return target.hasPrefix("/") ? origin + target : origin + "/" + target
    }

    private mutating func add(
        _ action: RecordedStep.Action, _ command: JSONValue, at place: String
    ) throws(StepRecordingError) {
        let element = try element(of: command, at: place)
        steps.append(RecordedStep(action: action, element: element, frames: frames, place: place))
    }

    private mutating func selectFrame(_ command: JSONValue, at place: String) throws(StepRecordingError) {
        let target = command["target"]?.stringValue ?? ""
        if target == "relative=parent" {
            frames = frames.dropLast()
        } else if target == "relative=top" {
            frames = []
        } else if let position = target.wholeMatch(of: /index=(\d+)/).flatMap({ Int($0.1) }) {
            frames.append(.position(position))
        } else {
            frames.append(.element(try element(of: command, at: place)))
        }
    }

    // MARK: Locators

    private func element(of command: JSONValue, at place: String) throws(StepRecordingError) -> RecordedElement {
        let others = (command["targets"]?.arrayValue ?? []).compactMap { $0.arrayValue?.first?.stringValue }
        let first = command["target"]?.stringValue ?? ""
        var element = RecordedElement()
        for target in [first] + others where !target.isEmpty && element.written.insert(target).inserted {
            Self.add(target, to: &element)
        }
        guard !element.written.isEmpty else {
            throw StepRecordingError(
                .malformed, at: place, "it has no “target”; choose the element in Selenium IDE, and save again")
        }
        return element
    }

    private static func add(_ target: String, to element: inout RecordedElement) {
        if target.hasPrefix("/") || target.hasPrefix("(") { return element.add(xpath: target) }
        let halves = target.split(separator: "=", maxSplits: 1).map(String.init)
        guard halves.count == 2 else { return }
        let value = halves[1]
        let quoted = value.escaping(["\\": "\\\\", "\"": "\\\""])
        switch halves[0] {
        case "css": element.add(css: value)
        case "xpath": element.add(xpath: value)
        case "id":
            element.css.append(value.wholeMatch(of: /[A-Za-z_][\w-]*/) == nil ? "[id=\"\(quoted)\"]" : "#\(value)")
        case "name": element.css.append("[name=\"\(quoted)\"]")
        case "linkText", "link", "partialLinkText":
            element.role = .link
            element.text = element.text ?? value.spaced
        default: break
        }
    }
}
