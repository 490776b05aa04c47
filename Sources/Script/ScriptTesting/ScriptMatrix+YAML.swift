import Authoring
import BankScript
import Foundation
import MockBank

extension ScriptMatrix {
    /// A script and its text, if it was read from a file.
    public struct Subject: Sendable {
        public var script: BankScript
        public var source: String?

        public init(_ script: BankScript, source: String? = nil) {
            self.script = script
            self.source = source
        }
    }

    /// Reads a matrix from YAML: each scenario with the expected outcome.
    ///
    ///     parameters: { month: 11, year: 2025 }
    ///     scenarios:
    ///       - happy: statement
    ///       - wrong-password: { BANK_LOGIN_FAILED: wrong_credentials }
    ///         says: The username or password is not right
    ///       - har: wrong-pin.har
    ///         expect: { BANK_LOGIN_FAILED: wrong_credentials }
    ///
    /// - Parameters:
    ///   - file: the file's name, for messages.
    ///   - subject: the script for rows that do not name one.
    ///   - recording: reads the recording that a row names, by its path relative to the matrix.
    ///   - load: reads the script that a row names, by its path relative to the matrix.
    /// - Throws: ``BankScript/ScriptSyntaxError`` with line and column, and the errors of `load` and `recording`.
    public init(
        yaml text: String, file: String, of subject: Subject,
        recording: (String) throws -> HTTPArchive = { throw HTTPArchiveError(message: "\($0) cannot be read here") },
        load: (String) throws -> Subject
    ) throws {
        let root = try ScriptNode(yaml: text, file: file)
        let fields = try root.fields("a matrix", known: ["parameters", "scenarios"])
        guard let list = fields["scenarios"] else {
            throw root.error("the matrix has no “scenarios”", hint: "scenarios: [happy: statement]")
        }
        let parameters = try fields["parameters"].map(Self.parameters) ?? [:]
        var loaded: [String: Subject] = [:]
        var rows: [Row] = []
        for item in try list.items("scenarios") {
            var row = try Self.row(item, of: subject, parameters)
            if let path = try item.member("har")?.text("a recording") { row.recording = try recording(path) }
            if let path = try item.member("script")?.text("a script") {
                let other = try loaded[path] ?? load(path)
                loaded[path] = other
                row.script = other.script
                row.source = other.source
                let name = path.split(separator: "/").last.map(String.init) ?? path
                row.name += " with \(name)"
            }
            guard !rows.contains(where: { $0.name == row.name }) else {
                throw item.error("“\(row.name)” is already in the matrix", hint: "give it another name: name: …")
            }
            rows.append(row)
        }
        guard !rows.isEmpty else { throw list.error("the matrix has no rows", hint: "- happy: statement") }
        self.init(rows)
    }

    private static let options = ["har", "expect", "script", "parameters", "person", "says", "name", "browser"]

    private static func row(
        _ item: ScriptNode, of subject: Subject, _ parameters: [String: ParameterValue]
    ) throws(ScriptSyntaxError) -> Row {
        let names = Scenario.allCases.map(\.rawValue)
        let fields = try item.fields("a row", known: names + options)
        let given = names.filter { fields[$0] != nil }
        let name: String
        let value: ScriptNode
        if let har = fields["har"] {
            guard given.isEmpty else {
                throw item.error("a row has a scenario or a recording, not both", hint: "remove “\(given[0])” or “har”")
            }
            guard let expected = fields["expect"] else {
                throw item.error("a row with a recording must say what to expect", hint: "expect: statement")
            }
            name = try har.text("a recording")
            value = expected
        } else {
            guard let scenario = given.first, given.count == 1, let expected = fields[scenario] else {
                throw item.error("a row must name exactly one scenario", hint: "- happy: statement")
            }
            if let stray = fields["expect"] {
                throw stray.error("“expect” is only for a row with “har”", hint: "write it as - \(scenario): statement")
            }
            name = scenario
            value = expected
        }
        var person = Person.present
        if let node = fields["person"] {
            guard let known = Person(rawValue: try node.text("a person")) else {
                throw node.error("there is no such person", hint: "write present or silent")
            }
            person = known
        }
        let words = try fields["says"]?.text("what the bank says")
        return Row(
            name: try fields["name"]?.text("a name") ?? name, scenario: Scenario(rawValue: name),
            script: subject.script,
            source: subject.source,
            parameters: parameters.merging(try fields["parameters"].map(Self.parameters) ?? [:]) { $1 },
            person: person, expected: try expectation(value, words: words),
            expectedInBrowser: try fields["browser"].map { node throws(ScriptSyntaxError) in
                try expectation(node, words: nil)
            }, mark: item.mark)
    }

    private static func expectation(
        _ node: ScriptNode, words: String?
    ) throws(ScriptSyntaxError) -> Expectation {
        if let text = node.scalar {
            if text == "statement", words == nil { return .statement }
            if text == "statement" { throw node.error("“says” does not apply to a statement", hint: "remove “says”") }
            return .failure(try node.errorCode(), nil, words: words)
        }
        let members = try node.members("what is expected")
        guard let (code, reason) = members.first, members.count == 1 else {
            throw node.error("a row must expect a statement or one error", hint: "{ BANK_LOGIN_FAILED: wrong_code }")
        }
        return .failure(try code.errorCode(), try reason.failureReason(), words: words)
    }

    private static func parameters(_ node: ScriptNode) throws(ScriptSyntaxError) -> [String: ParameterValue] {
        var parameters: [String: ParameterValue] = [:]
        for (key, value) in try node.members("parameters") {
            parameters[try key.text("a name")] = ParameterValue(try value.text("a parameter"))
        }
        return parameters
    }
}

extension ScriptNode {
    fileprivate func member(_ name: String) throws(ScriptSyntaxError) -> ScriptNode? {
        try members("a row").first { $0.key.scalar == name }?.value
    }
}
