import Encodings

// Checks of the plug-ins that a script calls for.

extension ScriptLint {
    /// The rules for names of plug-ins that are not there.
    public static let pluginRules: Set<String> = [
        "unknown-engine", "unknown-source", "unknown-document-source", "unknown-step", "unknown-kind",
    ]

    mutating func checkEngine() {
        let names = plugged.engines.map(\.rawValue)
        guard !names.contains(script.engine.rawValue) else { return }
        report(
            "unknown-engine", .error,
            "no engine “\(script.engine.rawValue)” is plugged in; the engines are: \(names.joined(separator: ", "))",
            hint: hint(for: script.engine.rawValue, among: names), at: nil, about: script.engine.rawValue)
    }

    /// Reports the kinds of documents that a script in Swift names, and the program does not have. Reading a file refuses them.
    mutating func checkKinds() {
        let names = plugged.kinds.map(\.rawValue)
        for kind in script.kinds where !names.contains(kind.rawValue) {
            report(
                "unknown-kind", .error,
                "no kind of document “\(kind.rawValue)” is plugged in; the kinds are: \(names.joined(separator: ", "))",
                hint: hint(for: kind.rawValue, among: names), at: nil, about: kind.rawValue)
        }
    }

    func hint(for name: String, among names: [String]) -> String {
        if let meant = nearest(to: name, among: names) { return "did you mean \(meant)?" }
        return "run the script with a program that has this plug-in; `script plugins list` says which plug-ins one has"
    }
}
