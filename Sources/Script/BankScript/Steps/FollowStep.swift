import Encodings
import Selectors

/// Follow the link with this name.
public struct Follow: ScriptText {
    public let steps: [Step]

    public init(
        _ name: String, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        self.init(.link(.name(name)), expecting: expected, file: file, line: line)
    }

    public init(
        _ link: Locator, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        steps = [Step(.follow(link), expecting: expected, at: Mark(file: file, line: line))]
    }
}

/// Follows a link.
package struct FollowStep: Sendable, Hashable {
    package var link: Locator

    package init(_ link: Locator) {
        self.link = link
    }
}

extension Action {
    public static func follow(_ link: Locator) -> Action { Action(FollowStep(link)) }
}

extension FollowStep: StepDescription {
    package static let names = ["follow"]
    package static let companions = [StepCompanion.expecting, .within]

    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [FollowStep] {
        [FollowStep(try value.locator(as: .link))]
    }

    package var written: YAMLText { link.written(as: .link) }

    package static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/locator"], "Follow a link.")
    }

    package var json: JSONValue { ["follow": link.json] }

    package func words(filling filled: (Template) -> String) -> String { "follow \(link.words(filling: filled))" }

    package func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(link, at: mark) }

    package var facts: StepFacts { [.comesFromAnywhere, .sendsForm] }
}
