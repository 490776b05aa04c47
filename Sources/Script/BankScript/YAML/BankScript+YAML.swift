extension BankScript {
    /// Reads a script from YAML.
    ///
    /// - Parameters:
    ///   - text: the file's text.
    ///   - file: the file's name, for messages.
    ///   - steps: the steps that may stand in it.
    /// - Throws: ``ScriptSyntaxError`` with line and column.
    public init(yaml text: String, file: String, steps: StepList = .standard) throws(ScriptSyntaxError) {
        let root: ScriptNode
        do {
            root = try ScriptNode(yaml: text, file: file, steps: steps)
        } catch {
            guard text.allSatisfy(\.isWhitespace) else { throw error }
            throw ScriptSyntaxError(
                "the file is empty", at: error.mark,
                hint:
                    "write a first script into it: countersign script new > \(file.contains(" ") ? "'\(file)'" : file)")
        }
        try self.init(root)
    }

    /// What to write for a required part.
    private static let examples = [
        "bank": "add for example bank: my-bank", "name": "add for example name: My Bank",
        "origins": "add the addresses that it may contact, for example origins: [https://banking.my-bank.example]",
        "steps": "add “steps:” with one “- ” for each step",
    ]

    private init(_ node: ScriptNode) throws(ScriptSyntaxError) {
        if let source = try node.members("a script").first(where: { $0.key.scalar == "source" })?.value,
            source.scalar != SourceName.web.rawValue
        {
            try self.init(sourceFile: node)
            return
        }
        if let names = try? node.members("a script").map(\.key.scalar), names.contains("scenarios"),
            !names.contains("bank")
        {
            throw node.error(
                "this is the matrix of a script", hint: "countersign script test SCRIPT runs it; lint the script itself"
            )
        }
        let fields = try node.fields("a script", besides: ["source"])
        func required(_ name: String) throws(ScriptSyntaxError) -> ScriptNode {
            guard let field = fields[name] else {
                throw node.error("the script has no “\(name)”", hint: Self.examples[name])
            }
            return field
        }
        let bank = try required("bank")
        let id = try bank.text("bank")
        guard BankIdentifier.isValid(id) else {
            throw bank.error("“\(id)” is not a bank's identifier", hint: BankIdentifier.hint)
        }
        var origins: [String] = []
        for item in try required("origins").items("origins") { origins.append(try item.text("an origin")) }
        self.init(
            id: id, name: try required("name").text("name"), origins: origins,
            pins: try fields["pins"].map(Self.pins) ?? [:],
            isForTesting: try fields["testing"]?.flag("testing") ?? false,
            locale: try fields["locale"]?.text("locale") ?? "en",
            attempts: try fields["attempts"]?.attempts() ?? 1,
            credentials: try fields["credentials"].map(Self.credentials) ?? Self.usualCredentials,
            device: try fields["device"].map(Self.device) ?? [],
            engine: try fields["engine"]?.engine() ?? .html, atOnce: try fields["at once"]?.atOnce() ?? 1,
            parameters: try fields["parameters"].map(Self.parameters) ?? Parameter.statementPeriod,
            interruptions: try fields["interruptions"].map(Self.interruptions) ?? [],
            dialogs: try fields["dialogs"]?.dialogRules() ?? [],
            accounts: try fields["accounts"]?.accountList(), steps: try required("steps").steps(),
            forEachAccount: try fields["for each account"]?.steps() ?? [],
            forEachPeriod: try fields["for each period"]?.steps() ?? [],
            finally: try fields["finally"]?.steps() ?? [], source: node.file)
        exchange = try fields["exchange"]?.exchange()
        consent = try fields["consent"]?.consent()
        budget = try fields["budget"]?.budget()
    }

    static func pins(_ node: ScriptNode) throws(ScriptSyntaxError) -> [String: [String]] {
        var pins: [String: [String]] = [:]
        for (key, value) in try node.members("pins") {
            var keys: [String] = []
            for item in try value.items("an origin's pins") { keys.append(try item.text("a pin")) }
            guard pins.updateValue(keys, forKey: try key.text("an origin")) == nil else {
                throw key.error("the origin already has pins", hint: "write its pins in one list")
            }
        }
        return pins
    }

    static func credentials(_ node: ScriptNode) throws(ScriptSyntaxError) -> [String] {
        var names: [String] = []
        for item in try node.items("credentials") {
            let name = try item.text("a credential's name")
            guard name.isIdentifier else {
                throw item.error(
                    "“\(name)” cannot be the name of a credential",
                    hint: "use letters, digits, - and _, without the $")
            }
            guard !names.contains(name) else { throw item.error("“\(name)” is given twice") }
            names.append(name)
        }
        return names
    }

    private static func device(_ node: ScriptNode) throws(ScriptSyntaxError) -> [String] {
        var names: [String] = []
        for item in try node.items("device") {
            let name = try item.text("a cookie's name")
            guard !names.contains(name) else { throw item.error("“\(name)” is given twice") }
            names.append(name)
        }
        return names
    }

    private static func parameters(_ node: ScriptNode) throws(ScriptSyntaxError) -> [Parameter] {
        var parameters: [Parameter] = []
        for (key, value) in try node.members("parameters") {
            let name = try key.text("a name")
            parameters.append(Parameter(name, try value.parameterKind(of: name)))
        }
        return parameters
    }

    private static func interruptions(_ node: ScriptNode) throws(ScriptSyntaxError) -> [Interruption] {
        var interruptions: [Interruption] = []
        for item in try node.items("interruptions") {
            let fields = try item.fields("an interruption")
            guard let condition = try fields["when"]?.condition() else {
                throw item.error("the interruption has no “when”")
            }
            let response: Interruption.Response
            switch (fields["fail"], fields["pass"]) {
            case (let fail?, nil):
                guard let reason = fields["reason"] else {
                    throw item.error("the interruption has no “reason”", hint: "for example reason: account_locked")
                }
                response = .fail(try fail.errorCode(), reason: try reason.failureReason())
            case (nil, let pass?):
                response = .pass(try pass.steps())
            default:
                throw item.error("an interruption must have either “fail” or “pass”")
            }
            interruptions.append(Interruption(condition: condition, response: response, mark: item.mark))
        }
        return interruptions
    }
}
