import Yams

extension BankScript {
    /// Reads a script from YAML.
    ///
    /// - Parameters:
    ///   - text: the file's text.
    ///   - file: its name, for messages.
    /// - Throws: ``ScriptSyntaxError`` with line and column.
    public init(yaml text: String, file: String) throws(ScriptSyntaxError) {
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw ScriptSyntaxError(error, file: file)
        } catch {
            throw ScriptSyntaxError("\(error)", at: Mark(file: file, line: 1))
        }
        guard let root else {
            throw ScriptSyntaxError(
                "the file is empty", at: Mark(file: file, line: 1),
                hint: "`countersign script new` writes a first script")
        }
        try self.init(ScriptNode(node: root, file: file))
    }

    private static let parts = [
        "bank", "name", "origins", "testing", "locale", "parameters", "interruptions", "steps", "finally",
    ]

    private init(_ node: ScriptNode) throws(ScriptSyntaxError) {
        let fields = try node.fields("a script", known: Self.parts)
        func required(_ name: String) throws(ScriptSyntaxError) -> ScriptNode {
            guard let field = fields[name] else { throw node.error("the script has no “\(name)”") }
            return field
        }
        var origins: [String] = []
        for item in try required("origins").items("origins") { origins.append(try item.text("an origin")) }
        self.init(
            id: try required("bank").text("bank"), name: try required("name").text("name"), origins: origins,
            isForTesting: try fields["testing"]?.flag("testing") ?? false,
            locale: try fields["locale"]?.text("locale") ?? "en",
            parameters: try fields["parameters"].map(Self.parameters) ?? Parameter.statementPeriod,
            interruptions: try fields["interruptions"].map(Self.interruptions) ?? [],
            steps: try required("steps").steps(), finally: try fields["finally"]?.steps() ?? [],
            source: node.file)
    }

    private static func parameters(_ node: ScriptNode) throws(ScriptSyntaxError) -> [Parameter] {
        var parameters: [Parameter] = []
        for (key, value) in try node.members("parameters") {
            parameters.append(Parameter(try key.text("a name"), in: try value.range("the parameter’s range")))
        }
        return parameters
    }

    private static func interruptions(_ node: ScriptNode) throws(ScriptSyntaxError) -> [Interruption] {
        var interruptions: [Interruption] = []
        for item in try node.items("interruptions") {
            let fields = try item.fields("an interruption", known: ["when", "fail", "reason", "pass"])
            guard let condition = try fields["when"]?.condition() else {
                throw item.error("the interruption has no “when”")
            }
            let response: Interruption.Response
            switch (fields["fail"], fields["pass"]) {
            case (let fail?, nil):
                guard let reason = fields["reason"] else {
                    throw item.error("the interruption has no “reason”", hint: "such as account_locked")
                }
                response = .fail(try fail.errorCode(), reason: try reason.failureReason())
            case (nil, let pass?):
                response = .pass(try pass.steps())
            default:
                throw item.error("an interruption has either “fail” or “pass”")
            }
            interruptions.append(Interruption(condition: condition, response: response, mark: item.mark))
        }
        return interruptions
    }
}

extension ScriptSyntaxError {
    fileprivate init(_ error: YamlError, file: String) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(problem, at: Mark(file: file, line: mark.line, column: mark.column))
        case .duplicatedKeysInMapping(let keys, let context):
            let mark = Mark(file: file, line: context.mark.line, column: context.mark.column)
            self.init("given twice: \(keys.map { "\($0)" }.joined(separator: ", "))", at: mark)
        default:
            self.init("the file is not YAML: \(error)", at: Mark(file: file, line: 1))
        }
    }
}
