import Encodings

extension ScriptNode {
    func steps() throws(ScriptSyntaxError) -> [Step] {
        var steps: [Step] = []
        for item in try items("steps") { steps += try item.stepsOfLine() }
        return steps
    }

    /// Reads one item of a list of steps; `fill` and `choose` may yield several.
    private func stepsOfLine() throws(ScriptSyntaxError) -> [Step] {
        if let words = scalar {
            let name = language.names.first { words.hasPrefix($0 + " ") } ?? nearest(to: words, among: language.names)
            let rest = name.map { words.dropFirst($0.count).drop { $0 == " " } } ?? ""
            throw error(
                "“\(words)” is a text; a step is a name, a colon and a value",
                hint: name.map { "write “\($0): \(rest)”" } ?? "write for example “press: Sign in”")
        }
        let companions = language.companionNames
        let known = language.names + companions
        for key in try members("a step").map(\.key) {
            guard let name = key.scalar, !known.contains(name), nearest(to: name, among: known) == nil else { continue }
            throw key.error(
                "no step “\(name)” is plugged in", hint: "the steps are: \(language.names.joined(separator: ", "))")
        }
        let fields = try fields("a step", known: known)
        let names = fields.keys.filter { !companions.contains($0) }
        guard let name = names.first, names.count == 1, let value = fields[name], let type = language[name] else {
            throw error("a step does one thing", hint: "begin each step with “- ” on a line of its own")
        }
        for companion in companions where fields[companion] != nil {
            guard !type.companions.contains(where: { $0.name == companion }) else { continue }
            throw error("“\(companion)” belongs to \(language.names(with: companion).joined(separator: ", "))")
        }
        for companion in type.companions where companion.isRequired && fields[companion.name] == nil {
            throw error("“\(name)” has no “\(companion.name)”")
        }
        let expected = try fields["expecting"]?.range("expecting")
        let patience = try fields["within"]?.duration("within")
        let others = fields.filter { companions.contains($0.key) }
        return try value.read(type, named: name, beside: others).map {
            Step(Action($0), expecting: expected, within: patience, at: mark)
        }
    }

    private func read(
        _ type: any StepDescription.Type, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [any StepDescription] {
        try type.read(self, named: name, beside: others)
    }

    func engine() throws(ScriptSyntaxError) -> ScriptEngine {
        guard let engine = ScriptEngine(rawValue: try text("engine")) else {
            throw error(
                "“engine” must be the name of an engine, such as html or browser",
                hint: "leave it out unless the bank needs JavaScript")
        }
        return engine
    }

    /// Reads how often a run may send a credential.
    func attempts() throws(ScriptSyntaxError) -> Int {
        guard let count = Int(try text("attempts")), BankScript.attemptsRange.contains(count) else {
            throw error("“attempts” must be 1, 2 or 3", hint: "many banks lock an account after three refused sign-ins")
        }
        return count
    }

    /// Reads how many downloads may run side by side.
    func atOnce() throws(ScriptSyntaxError) -> Int {
        guard let count = Int(try text("at once")), BankScript.atOnceRange.contains(count) else {
            throw error(
                "“at once” must be a number from 1 to 6", hint: "at once: 3 lets three downloads run side by side")
        }
        return count
    }

    /// Reads `12 pages` or a number.
    func pages() throws(ScriptSyntaxError) -> Int {
        let digits = try text("at most").prefix(while: \.isNumber)
        guard let count = Int(digits), (1...1000).contains(count) else {
            throw error(
                "“at most” is “\(scalar ?? "")”, but must be a number of pages from 1 to 1000",
                hint: "write for example at most: 12 pages")
        }
        return count
    }
}
