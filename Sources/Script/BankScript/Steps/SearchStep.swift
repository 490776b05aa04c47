import Encodings
import Selectors

/// Turn pages until the row is found.
public struct Search: ScriptText {
    public let steps: [Step]

    /// - Parameter limit: the maximum number of pages to look at, including the first.
    public init(
        rows text: String, next: String, last: Condition? = nil, atMost limit: Int, file: String = #fileID,
        line: Int = #line
    ) {
        self.init(
            for: .row(.name(text)), next: .control(.name(next)), last: last, atMost: limit, file: file, line: line)
    }

    /// - Parameter last: holds on the last page, where the absence of the link does not tell.
    public init(
        for target: Locator, next: Locator, last: Condition? = nil, atMost limit: Int, file: String = #fileID,
        line: Int = #line
    ) {
        let search = SearchStep(target: target, next: next, last: last, limit: limit)
        steps = [Step(.search(search), at: Mark(file: file, line: line))]
    }

    /// Looks for one item of a JSON answer, and asks for the next answer until it is found. Captures that follow look
    /// inside the item.
    ///
    /// - Parameters:
    ///   - path: a JSONPath that finds the item.
    ///   - next: the request for the next answer; it names the cursor as `{{ cursor }}`.
    ///   - cursor: the cursor's JSONPath in the answer.
    public init(
        json path: Template, next: RequestStep, cursor: String, last: Condition? = nil, atMost limit: Int,
        file: String = #fileID, line: Int = #line
    ) {
        let search = SearchStep(pages: .json(path: path, next: next, cursor: cursor), last: last, limit: limit)
        steps = [Step(.search(search), at: Mark(file: file, line: line))]
    }
}

/// Turns pages until the target is found. The steps that follow, such as ``DownloadStep``, look inside the target.
public struct SearchStep: Sendable, Hashable {
    public enum Pages: Sendable, Hashable {
        /// An element to find, usually a row, and the link or button to the next page.
        case html(target: Locator, next: Locator)
        /// A JSONPath that finds one item of an answer, the request for the next answer, and the path of the cursor in
        /// the answer. The request names the cursor as `{{ cursor }}`. An answer without a cursor is the last one.
        case json(path: Template, next: RequestStep, cursor: String)
    }

    /// The name of the cursor in the request for the next answer.
    package static let cursorName = "cursor"

    public var pages: Pages
    /// Holds on the last page; when nil, the last page is the one whose ``Pages/html(target:next:)`` link is disabled, or
    /// has gone after it was there.
    public var last: Condition?
    /// The maximum number of pages to look at, including the first.
    public var limit: Int

    public init(pages: Pages, last: Condition? = nil, limit: Int) {
        self.pages = pages
        self.last = last
        self.limit = limit
    }

    public init(target: Locator, next: Locator, last: Condition? = nil, limit: Int) {
        self.init(pages: .html(target: target, next: next), last: last, limit: limit)
    }
}

extension Action {
    public static func search(_ search: SearchStep) -> Action { Action(search) }
}

extension SearchStep: StepDescription {
    public static let names = ["search"]
    public static let companions = [StepCompanion.within]
    public static let parts = ["search": ["rows", "for", "json", "next", "cursor", "last", "at most"]]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [SearchStep] {
        let fields = try value.fields("search")
        guard let next = fields["next"], let limit = fields["at most"] else {
            throw fields["next"] == nil
                ? value.error("“search” has no “next”", hint: "name the link to the next page, for example next: Older")
                : value.error(
                    "“search” has no “at most”", hint: "give the number of pages to look at: at most: 12 pages")
        }
        let last = try fields["last"]?.condition()
        if let path = fields["json"], fields["rows"] == nil, fields["for"] == nil {
            guard let cursor = fields["cursor"] else {
                throw value.error(
                    "“search” in JSON needs “cursor”, the place of the next answer's name", hint: "cursor: $.next")
            }
            let pages = Pages.json(
                path: try path.template("a JSONPath"), next: try next.request(), cursor: try cursor.text("a JSONPath"))
            return [SearchStep(pages: pages, last: last, limit: try limit.pages())]
        }
        let target: Locator
        switch (fields["rows"], fields["for"], fields["json"]) {
        case (let rows?, nil, nil): target = .row(try rows.textMatch())
        case (nil, let other?, nil): target = try other.locator(as: .row)
        default: throw value.error("“search” must have exactly one of: rows, for, json")
        }
        guard fields["cursor"] == nil else { throw value.error("“cursor” belongs to a search with “json”") }
        return [SearchStep(target: target, next: try next.locator(as: .control), last: last, limit: try limit.pages())]
    }

    public var written: YAMLText {
        var members: [(String, YAMLText)] = []
        switch pages {
        case .html(let target, let next):
            if case .row(let text) = target.target, target == Locator(.row(text)) {
                members.append(("rows", text.written))
            } else {
                members.append(("for", target.written(as: .row)))
            }
            members.append(("next", next.written(as: .control)))
        case .json(let path, let next, let cursor):
            members += [("json", .text(path.source)), ("next", next.written), ("cursor", .text(cursor))]
        }
        if let last { members.append(("last", last.written)) }
        return .members(members + [("at most", .bare("\(limit) pages"))])
    }

    public static func schema(of name: String) -> JSONValue {
        func pages(_ name: String, _ target: JSONValue) -> JSONValue {
            ScriptSchema.object(
                [
                    name: target, "next": ["$ref": "#/$defs/locator"], "last": ["$ref": "#/$defs/condition"],
                    "at most": ScriptSchema.pageCount,
                ], required: [name, "next", "at most"])
        }
        let answers = ScriptSchema.object(
            [
                "json": ["$ref": "#/$defs/scalar"], "next": ["$ref": "#/$defs/request"],
                "cursor": ScriptSchema.described(
                    ["type": "string"], "Where the answer names the next one; absent from the last one."),
                "last": ["$ref": "#/$defs/condition"], "at most": ScriptSchema.pageCount,
            ], required: ["json", "next", "cursor", "at most"])
        return [
            "description": "Turn pages until the target is found. The steps that follow look inside it.",
            "oneOf": [
                pages("rows", ["$ref": "#/$defs/textMatch"]), pages("for", ["$ref": "#/$defs/locator"]), answers,
            ],
        ]
    }

    public var json: JSONValue {
        switch pages {
        case .html(let target, let next):
            .members([
                "search": target.json, "next": next.json, "last": last?.json, "atMost": .number(Double(limit)),
            ])
        case .json(let path, let next, let cursor):
            .members([
                "search": ["json": .string(path.source)], "next": next.requestJSON, "cursor": .string(cursor),
                "last": last?.json, "atMost": .number(Double(limit)),
            ])
        }
    }

    public func words(filling filled: (Template) -> String) -> String {
        switch pages {
        case .html(let target, _): "search for \(target.words(filling: filled)), at most \(limit.counted("page"))"
        case .json(let path, _, _): "search for \(filled(path)), at most \(limit.counted("answer"))"
        }
    }

    public var details: [String] {
        var lines: [String] = []
        switch pages {
        case .html(_, let next): lines.append("next page by \(next.inLine)")
        case .json(_, let next, let cursor):
            lines.append("next answer by \(next.address), with the cursor at \(cursor.inLine())")
            lines += next.details
        }
        return lines + (last.map { ["last page when \($0.words)"] } ?? [])
    }

    public func check(in lint: inout ScriptLint, at mark: Mark?) {
        switch pages {
        case .html(let target, let next):
            lint.check(target, at: mark)
            lint.check(next, at: mark)
        case .json(let path, let next, let cursor):
            lint.checkJSONPath(path, at: mark)
            lint.checkJSONPath(Template(cursor), at: mark)
            lint.with(Self.cursorName) { $0.check(next, at: mark) }
            lint.checkPolling(next, at: mark)
        }
        if let last { lint.check(last, at: mark) }
    }

    public var sent: [Sending] {
        if case .json(_, let next, _) = pages { [.request(next, repeated: "again for each page")] } else { [] }
    }

    public func moving(_ moved: (Template) -> Template) -> SearchStep {
        guard case .json(let path, let next, let cursor) = pages else { return self }
        var copy = self
        copy.pages = .json(path: path, next: next.moving(moved), cursor: cursor)
        return copy
    }
}
