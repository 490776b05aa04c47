import Encodings

/// Look at the page, or repeat a request, until the condition holds.
package struct WaitUntil: ScriptText {
    package let steps: [Step]

    /// - Parameter reloads: loads the page anew before each look, also a page that its scripts change.
    package init(
        _ condition: Condition, polling poll: RequestStep? = nil, every interval: Duration = .seconds(2),
        within limit: Duration, reloading reloads: Bool = false, file: String = #fileID, line: Int = #line
    ) {
        let wait = WaitStep(
            condition: condition, poll: poll, interval: interval, limit: limit, reloads: reloads)
        steps = [Step(.waitUntil(wait), at: Mark(file: file, line: line))]
    }
}

/// Waits until a condition holds for the page or the JSON answer.
public struct WaitStep: Sendable, Hashable {
    public var condition: Condition
    /// The request to repeat; when nil, the page is looked at. A page that nothing else changes is loaded anew.
    public var poll: RequestStep?
    public var interval: Duration
    public var limit: Duration
    /// Loads the page anew before each look, also a page that its scripts change.
    public var reloads: Bool

    public init(
        condition: Condition, poll: RequestStep? = nil, interval: Duration, limit: Duration, reloads: Bool = false
    ) {
        self.condition = condition
        self.poll = poll
        self.interval = interval
        self.limit = limit
        self.reloads = reloads
    }
}

extension Action {
    public static func waitUntil(_ wait: WaitStep) -> Action { Action(wait) }
}

extension WaitStep: StepDescription {
    public static let names = ["wait until"]
    public static let parts = ["wait until": ["page", "json", "is", "polling", "every", "within", "reload"]]

    /// The way in which a page is looked at again that the script does not ask to reload.
    static let watching = "in a browser watch the page, without one reload it each time"

    static let reloadSchema = ScriptSchema.flag("Load the page anew before each look, also in a browser.")

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [WaitStep] {
        let fields = try value.fields("wait until")
        guard let within = fields["within"] else {
            throw value.error(
                "“wait until” has no “within”", hint: "give the longest time to wait, for example within: 1 min")
        }
        let condition: Condition
        switch (fields["page"], fields["json"]) {
        case (let page?, nil): condition = try page.condition()
        case (nil, let path?):
            condition = .json(try path.template("a JSONPath"), is: try fields["is"]?.template("a text"))
        default:
            throw value.error(
                "“wait until” must have either “page” or “json”", hint: "{ page: .ready, within: 1 min }")
        }
        return [
            WaitStep(
                condition: condition, poll: try fields["polling"]?.request(),
                interval: try fields["every"]?.duration("every") ?? .seconds(2), limit: try within.duration("within"),
                reloads: try fields["reload"]?.reloads(besides: fields["polling"]) ?? false)
        ]
    }

    public var written: YAMLText {
        var members: [(String, YAMLText)] = [("page", condition.written)]
        if let poll { members.append(("polling", poll.written)) }
        members += [("every", interval.written), ("within", limit.written)]
        if reloads { members.append(("reload", .bare("true"))) }
        return .members(members)
    }

    public static func schema(of name: String) -> JSONValue {
        func form(_ own: [String: JSONValue], _ name: String) -> JSONValue {
            let common: [String: JSONValue] = [
                "polling": ["$ref": "#/$defs/request"], "every": ["$ref": "#/$defs/duration"],
                "within": ["$ref": "#/$defs/duration"], "reload": reloadSchema,
            ]
            return ScriptSchema.object(common.merging(own) { $1 }, required: [name, "within"])
        }
        return ScriptSchema.described(
            [
                "oneOf": [
                    form(["page": ["$ref": "#/$defs/condition"]], "page"),
                    form(["json": ["$ref": "#/$defs/scalar"], "is": ["$ref": "#/$defs/scalar"]], "json"),
                ]
            ],
            "Look at the page, or repeat a request, until the condition holds.")
    }

    public var json: JSONValue {
        .members([
            "waitUntil": condition.json, "poll": poll?.requestJSON,
            "every": .milliseconds(interval), "within": .milliseconds(limit),
            "reload": reloads ? .bool(true) : nil,
        ])
    }

    public func words(filling filled: (Template) -> String) -> String {
        "wait until \(condition.words(filling: filled))"
    }

    public var details: [String] {
        ["every \(interval.inScript), within \(limit.inScript)"]
            + (poll.map { ["each time request \($0.address)"] + $0.details }
                ?? [reloads ? "each time reload the page" : Self.watching])
    }

    public func check(in lint: inout ScriptLint, at mark: Mark?) {
        if let poll {
            lint.check(poll, at: mark)
            lint.checkPolling(poll, at: mark)
        }
        lint.checkInterval(interval, at: mark)
        lint.check(condition, at: mark)
        lint.checkLimit(limit, at: mark)
    }

    public var sent: [Sending] { poll.map { [.request($0, repeated: "again every \(interval.inScript)")] } ?? [] }
    public var facts: StepFacts { [.checksPage] }

    public func moving(_ moved: (Template) -> Template) -> WaitStep {
        var copy = self
        copy.poll = poll?.moving(moved)
        return copy
    }
}

extension ScriptNode {
    /// Reads whether a wait loads the page anew each time.
    func reloads(besides poll: ScriptNode?) throws(ScriptSyntaxError) -> Bool {
        guard poll == nil else {
            throw error("“reload” does not go with “polling”", hint: "a wait asks for the page, or for an answer")
        }
        return try flag("“reload”")
    }
}

extension ScriptLint {
    mutating func checkInterval(_ interval: Duration, at mark: Mark?) {
        guard interval < Self.shortestInterval else { return }
        report(
            "interval", .error, "the pause between two requests is shorter than 500 ms", hint: "every: 2 s", at: mark,
            about: "every")
    }

    mutating func checkLimit(_ limit: Duration, at mark: Mark?) {
        guard limit <= .zero || limit > .seconds(600) else { return }
        report(
            "limit", .error, "the time limit must be more than 0 s and at most 10 min, the longest that a run may take",
            hint: "within: 2 min", at: mark, about: "within")
    }
}
