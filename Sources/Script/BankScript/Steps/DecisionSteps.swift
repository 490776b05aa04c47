import Messages
import Selectors

/// Continue only if the condition holds; otherwise end the run with NAVIGATION_FAILED and the page's text.
public struct Expect: ScriptText {
    public let steps: [Step]

    public init(_ condition: Condition, file: String = #fileID, line: Int = #line) {
        steps = [Step(.expect(condition), at: Mark(file: file, line: line))]
    }
}

/// End the run with this code if the condition holds. The person is shown the text of the element that was found.
public struct Fail: ScriptText {
    public let steps: [Step]

    public init(
        _ code: ErrorCode, when condition: Condition, reason: FailureReason? = nil, file: String = #fileID,
        line: Int = #line
    ) {
        steps = [Step(.fail(code, when: condition, reason: reason), at: Mark(file: file, line: line))]
    }
}

/// Run one list of steps if the condition holds, and another if it does not.
public struct When: ScriptText {
    public let steps: [Step]

    public init(
        _ condition: Condition, file: String = #fileID, line: Int = #line, @StepBuilder then steps: () -> [Step],
        @StepBuilder otherwise: () -> [Step] = { [] }
    ) {
        self.steps = [
            Step(.when(condition, steps(), otherwise: otherwise()), at: Mark(file: file, line: line))
        ]
    }
}

/// Pause for a second factor.
public struct SecondFactor: ScriptText {
    public let steps: [Step]

    /// Fills a code into the field with this label and sends it with the form's own button.
    ///
    /// - Parameters:
    ///   - token: the issuer or account of the token to use; the token linked to the bank when nil.
    ///   - tries: the number of codes that may be sent, 1 to 3, if the bank asks in the same field again.
    public init(
        _ label: String, token: String? = nil, from sources: SecondFactorStep.Source..., tries: Int = 1,
        within limit: Duration, file: String = #fileID, line: Int = #line
    ) {
        self.init(
            SecondFactorStep(
                method: .code(field: .field(.name(label)), picture: nil),
                sources: sources.isEmpty ? [.vault, .person] : sources, tries: tries, limit: limit, token: token),
            file: file, line: line)
    }

    /// Waits for an approval in the bank's own app: looks at the page as long as the condition holds.
    ///
    /// - Parameter reloads: loads the page anew before each look, also a page that its scripts change.
    public init(
        untilNot condition: Condition, every interval: Duration = .seconds(2), within limit: Duration,
        reloading reloads: Bool = false, file: String = #fileID, line: Int = #line
    ) {
        self.init(
            SecondFactorStep(
                method: .push(until: .not(condition), every: interval), sources: [.person], limit: limit,
                reloads: reloads),
            file: file, line: line)
    }

    /// Waits for an approval in the bank's own app: repeats a JSON request until the condition holds.
    public init(
        until condition: Condition, polling poll: RequestStep, every interval: Duration = .seconds(2),
        within limit: Duration, file: String = #fileID, line: Int = #line
    ) {
        self.init(
            SecondFactorStep(
                method: .push(until: condition, polling: poll, every: interval), sources: [.person], limit: limit),
            file: file, line: line)
    }

    public init(_ step: SecondFactorStep, file: String = #fileID, line: Int = #line) {
        steps = [Step(.secondFactor(step), at: Mark(file: file, line: line))]
    }
}

/// Keep a value from the page under a name, for use in templates and fields.
public struct Capture: ScriptText {
    public let steps: [Step]

    public init(
        _ name: String, from source: CaptureStep.Source, matching pattern: String? = nil, filter: String? = nil,
        isSecret: Bool = false, file: String = #fileID, line: Int = #line
    ) {
        let capture = CaptureStep(name: name, source: source, pattern: pattern, filter: filter, isSecret: isSecret)
        steps = [Step(.capture(capture), at: Mark(file: file, line: line))]
    }
}

/// Send a JSON request in the same session.
public struct Request: ScriptText {
    public let steps: [Step]

    public init(
        _ method: String, _ reference: Template, headers: [RequestStep.Header] = [],
        basic: RequestStep.BasicAuthentication? = nil, query: [FormField] = [], body: RequestStep.Body? = nil,
        form: [FormField] = [], expecting expected: ClosedRange<Int> = 200...299, file: String = #fileID,
        line: Int = #line
    ) {
        let request = RequestStep(
            method: method, reference: reference, headers: headers, basic: basic, query: query, body: body, form: form,
            expected: expected)
        steps = [Step(.request(request), at: Mark(file: file, line: line))]
    }
}

/// Look at the page, or repeat a request, until the condition holds.
public struct WaitUntil: ScriptText {
    public let steps: [Step]

    /// - Parameter reloads: loads the page anew before each look, also a page that its scripts change.
    public init(
        _ condition: Condition, polling poll: RequestStep? = nil, every interval: Duration = .seconds(2),
        within limit: Duration, reloading reloads: Bool = false, file: String = #fileID, line: Int = #line
    ) {
        let wait = WaitStep(
            condition: condition, poll: poll, interval: interval, limit: limit, reloads: reloads)
        steps = [Step(.waitUntil(wait), at: Mark(file: file, line: line))]
    }
}

extension Duration {
    /// Returns a duration of whole minutes.
    public static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
}
