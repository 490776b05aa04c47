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
public struct FollowStep: Sendable, Hashable {
    public var link: Locator

    public init(_ link: Locator) {
        self.link = link
    }
}

extension Action {
    public static func follow(_ link: Locator) -> Action { Action(FollowStep(link)) }
}

extension FollowStep: StepDescription {
    public static let names = ["follow"]
    public static let companions = [StepCompanion.expecting, .within]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [FollowStep] {
        [FollowStep(try value.locator(as: .link))]
    }

    public var written: YAMLText { link.written(as: .link) }

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/locator"], "Follow a link.")
    }

    public var json: JSONValue { ["follow": link.json] }

    public func words(filling filled: (Template) -> String) -> String { "follow \(link.words(filling: filled))" }

    public func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(link, at: mark) }

    public var facts: StepFacts { [.comesFromAnywhere, .sendsForm] }
}
