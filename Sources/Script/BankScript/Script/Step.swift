import Encodings

/// One action, and its place in the script.
public struct Step: Sendable {
    public var action: Action
    /// The statuses of 400 or more that do not end the step; only for a step that opens a page.
    public var expected: ClosedRange<Int>?
    /// The longest time for the page to show what the step looks for; the engine's own patience when nil.
    public var patience: Duration?
    /// Not part of the script's digest.
    public var mark: Mark?

    public init(
        _ action: Action, expecting expected: ClosedRange<Int>? = nil, within patience: Duration? = nil,
        at mark: Mark? = nil
    ) {
        self.action = action
        self.expected = expected
        self.patience = patience
        self.mark = mark
    }
}

/// The action of a step: a value of one of the steps that ``StepList`` names. Texts in locators are templates.
///
/// Each step adds its own way to make an action, such as `.press(.button("Sign in"))`.
public struct Action: Sendable {
    public let kind: any StepDescription

    public init(_ kind: any StepDescription) {
        self.kind = kind
    }

    /// The action as a step of one type; nil for another step.
    public func `as`<Kind: StepDescription>(_ type: Kind.Type) -> Kind? { kind as? Kind }
}

extension Action {
    /// The action in words, with templates as written. A credential appears by name, never by value.
    public var words: String { words { $0.source } }

    /// Describes the action, with templates filled in by `filling`. Whatever the author wrote is a value inside a line: it
    /// cannot begin another one, nor hide a part of it, even if a plugged-in step does not see to that.
    public func words(filling: (Template) -> String) -> String { kind.words { filling($0).inLine() }.visible }

    var json: JSONValue {
        guard case .object(var members) = kind.json else { return kind.json }
        for block in kind.blocks where block.isWritten { members[block.name] = .array(block.steps.map(\.json)) }
        return .object(members)
    }

    /// Returns the action with each list of steps inside it changed.
    package func changingBlocks(_ change: ([Step]) -> [Step]) -> Action { Action(kind.changingBlocks(change)) }

    /// The names of the credentials that the action types or sends.
    var sentCredentials: [String] { kind.sent.flatMap(\.credentials) }

    /// The names of the credentials that the action signs in with.
    var signInCredentials: [String] { kind.sent.flatMap(\.signInCredentials) }

    /// True if the step, or a step inside it, has the fact.
    package func has(_ fact: StepFacts) -> Bool {
        kind.facts.contains(fact) || kind.blocks.contains { $0.steps.contains { $0.action.has(fact) } }
    }

    /// True if the step, or a step inside it, downloads a document.
    package var downloads: Bool {
        !kind.fetchedKinds.isEmpty || kind.blocks.contains { $0.steps.contains(where: \.action.downloads) }
    }
}

extension Step {
    var json: JSONValue {
        guard expected != nil || patience != nil, case .object(var members) = action.json else { return action.json }
        members["expecting"] = expected?.json ?? members["expecting"]
        members["within"] = patience.map(JSONValue.milliseconds) ?? members["within"]
        return .object(members)
    }

    /// Returns the step for another host, with the steps inside it.
    func moving(_ moved: (Template) -> Template) -> Step {
        var copy = self
        copy.action = Action(action.kind.moving(moved)).changingBlocks { $0.map { $0.moving(moved) } }
        return copy
    }
}

extension [Step] {
    /// Every step, with those inside others.
    package var flattened: [Step] {
        flatMap { step -> [Step] in [step] + step.action.kind.blocks.flatMap { $0.steps.flattened } }
    }

    /// Every action, with those inside others.
    package var allActions: [Action] { flattened.map(\.action) }
}
