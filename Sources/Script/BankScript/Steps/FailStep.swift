import Encodings
import Messages

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

/// Ends the run with this code if the condition holds.
package struct FailStep: Sendable, Hashable {
    package var code: ErrorCode
    package var condition: Condition
    package var reason: FailureReason?

    package init(_ code: ErrorCode, when condition: Condition, reason: FailureReason? = nil) {
        self.code = code
        self.condition = condition
        self.reason = reason
    }
}

extension Action {
    public static func fail(_ code: ErrorCode, when condition: Condition, reason: FailureReason?) -> Action {
        Action(FailStep(code, when: condition, reason: reason))
    }
}

extension FailStep: StepDescription {
    package static let names = ["fail"]
    package static let companions = [StepCompanion.within]

    /// Reads `{ BANK_LOGIN_FAILED: .notice--error, reason: wrong_credentials }`.
    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [FailStep] {
        var code: (ErrorCode, Condition)?
        var reason: FailureReason?
        for (key, part) in try value.members("fail") {
            if key.scalar == "reason" {
                reason = try part.failureReason()
            } else if code == nil {
                code = (try key.errorCode(), try part.condition())
            } else {
                throw key.error("“fail” must have exactly one error code")
            }
        }
        guard let (code, condition) = code else {
            throw value.error("“fail” has no error code", hint: "write { BANK_LOGIN_FAILED: .notice--error }")
        }
        return [FailStep(code, when: condition, reason: reason)]
    }

    package var written: YAMLText {
        .members([(code.rawValue, condition.written)] + (reason.map { [("reason", .text($0.rawValue))] } ?? []))
    }

    package static func schema(of name: String) -> JSONValue {
        [
            "description": "End the run with this code if the condition holds.",
            "oneOf": .array(
                ErrorCode.runFailures.map { code in
                    ScriptSchema.object(
                        [code.rawValue: ["$ref": "#/$defs/condition"], "reason": ["$ref": "#/$defs/reason"]],
                        required: [code.rawValue])
                }),
        ]
    }

    package var json: JSONValue {
        .members([
            "fail": .string(code.rawValue), "when": condition.json, "reason": reason.map { .string($0.rawValue) },
        ])
    }

    package func words(filling filled: (Template) -> String) -> String {
        "fail with \(code.rawValue) if \(condition.words(filling: filled))"
    }

    package var details: [String] { reason.map { ["reason \($0.rawValue)"] } ?? [] }

    package func check(in lint: inout ScriptLint, at mark: Mark?) {
        lint.check(code, at: mark)
        lint.check(condition, at: mark)
    }

    package var facts: StepFacts {
        condition.constant == true ? [.declaresFailure, .endsRun, .completesPath] : [.declaresFailure]
    }
}

extension ScriptLint {
    /// Warns about a sign-in after which no step says what a refusal looks like: it is then inferred, without the bank's words.
    mutating func checkRefusalOfSignIn() {
        guard let last = script.steps.lastIndex(where: { [$0].allActions.contains(where: \.typesSecretCredential) }),
            !script.interruptions.contains(where: \.endsSignIn)
        else { return }
        // A step with branches may look for the refusal itself.
        let following = script.steps[last...] + script.forEachAccount + script.forEachPeriod
        guard !following.flatMap({ [$0].allActions }).contains(where: \.endsSignIn) else { return }
        report(
            "no-refusal", .warning,
            "no step after the sign-in says what the page shows when the bank refuses it, so a refusal is only guessed",
            hint: "- fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }", at: script.steps[last].mark)
    }
}

extension Interruption {
    fileprivate var endsSignIn: Bool { if case .fail(.bankLoginFailed, _) = response { true } else { false } }
}

extension Action {
    /// True for a step that types a credential which the bank may refuse.
    fileprivate var typesSecretCredential: Bool {
        kind.sent.flatMap(\.typedValues).contains { value in
            switch value {
            case .credential(let name), .character(of: let name): name != "username"
            case .captured, .template, .number: false
            }
        }
    }

    /// True for a step that ends the run when the bank refuses the sign-in.
    fileprivate var endsSignIn: Bool { `as`(FailStep.self)?.code == .bankLoginFailed }
}
