import Messages

extension BankScript {
    /// The parts of a bank's file that names a source, beside the settings of the source.
    static let partsOfSource = ["bank", "name", "source", "at", "fetch", "pins", "testing", "credentials"]

    /// Reads a bank's file that says `source:` and no steps.
    ///
    /// - Throws: ``ScriptSyntaxError`` with line and column.
    init(sourceFile node: ScriptNode) throws(ScriptSyntaxError) {
        var fields: [String: ScriptNode] = [:]
        for (key, value) in try node.members("a bank's file") {
            let name = try key.text("a name")
            guard fields.updateValue(value, forKey: name) == nil else { throw key.error("“\(name)” is given twice") }
            guard name != "steps" else {
                throw key.error("a file with a “source” has no steps", hint: "leave out “steps”, or “source”")
            }
        }
        func required(_ name: String, _ hint: String) throws(ScriptSyntaxError) -> ScriptNode {
            guard let field = fields[name] else { throw node.error("the file has no “\(name)”", hint: hint) }
            return field
        }
        let bank = try required("bank", "add for example bank: my-bank")
        let id = try bank.text("bank")
        guard BankIdentifier.isValid(id) else {
            throw bank.error("“\(id)” is not a bank's identifier", hint: BankIdentifier.hint)
        }
        let named = try required("source", "add source: fints")
        guard let source = SourceName(rawValue: try named.text("source")) else {
            throw named.error("“\(try named.text("source"))” is not the name of a source", hint: "write source: fints")
        }
        var kinds: [DocumentKind] = []
        for item in try required("fetch", "add for example fetch: [pdf, camt]").items("fetch") {
            let name = try item.text("a kind")
            guard let kind = DocumentKind(rawValue: name) else {
                throw item.error(
                    "“\(name)” is not a kind of document",
                    hint: "the kinds are: \(DocumentKind.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            kinds.append(kind)
        }
        var settings: [String: String] = [:]
        for (name, value) in fields where !Self.partsOfSource.contains(name) {
            settings[name] = try value.text("“\(name)”")
        }
        self.init(
            id, named: try required("name", "add for example name: My Bank").text("name"),
            from: SourceDeclaration(
                source, at: try required("at", "add the address of the bank's server: at: https://…").text("at"),
                settings: settings, fetching: kinds),
            pins: try fields["pins"].map(Self.pins) ?? [:],
            isForTesting: try fields["testing"]?.flag("testing") ?? false,
            credentials: try fields["credentials"].map(Self.credentials) ?? Self.usualCredentials, source: node.file)
    }

    /// Writes a bank's file that names a source.
    func sourceYAML(_ declaration: SourceDeclaration) -> String {
        var lines = [
            "bank: \(YAMLText.scalar(id))", "name: \(YAMLText.scalar(name))", "source: \(declaration.source.rawValue)",
            "at: \(YAMLText.scalar(declaration.address))",
        ]
        for (name, value) in declaration.settings.sorted(by: { $0.key < $1.key }) {
            lines.append("\(YAMLText.scalar(name)): \(YAMLText.scalar(value))")
        }
        lines.append("fetch: [\(declaration.kinds.map(\.rawValue).joined(separator: ", "))]")
        if !pins.isEmpty {
            lines.append("pins:")
            for (origin, keys) in pins.sorted(by: { $0.key < $1.key }) {
                lines.append("  \(YAMLText.scalar(origin)): \(YAMLText.items(keys.map(YAMLText.text)).flow)")
            }
        }
        if isForTesting { lines.append("testing: true") }
        if credentials != Self.usualCredentials {
            lines.append("credentials: \(YAMLText.items(credentials.map(YAMLText.text)).flow)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
