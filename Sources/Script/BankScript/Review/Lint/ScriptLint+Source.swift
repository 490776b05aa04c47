import Encodings

// Checks of a bank's file that names a source of documents instead of steps.

extension ScriptLint {
    mutating func check(_ declaration: SourceDeclaration) {
        let names = plugged.sources.map(\.source.rawValue)
        guard let rule = plugged.sources.first(where: { $0.source == declaration.source }) else {
            let known = ([SourceName.web.rawValue] + names).joined(separator: ", ")
            report(
                "unknown-document-source", .error,
                "no source “\(declaration.source.rawValue)” is plugged in; the sources are: \(known)",
                hint: nearest(to: declaration.source.rawValue, among: names).map { "did you mean \($0)?" }
                    ?? "run the file with a program that has this plug-in; `script plugins list` says which plug-ins one has",
                at: nil, about: declaration.source.rawValue)
            return
        }
        for setting in rule.settings {
            guard let value = declaration.settings[setting.name] else {
                guard setting.isRequired else { continue }
                report(
                    "source-setting", .error, "the file has no “\(setting.name)”", hint: setting.hint, at: nil,
                    about: setting.name)
                continue
            }
            guard !setting.accepts(value) else { continue }
            report(
                "source-setting", .error, "“\(value)” cannot be the “\(setting.name)”", hint: setting.hint, at: nil,
                about: value)
        }
        for name in declaration.settings.keys.sorted() where !rule.settings.contains(where: { $0.name == name }) {
            report(
                "source-setting", .error, "the source \(declaration.source.rawValue) has no setting “\(name)”",
                hint: "it has: \(rule.settings.map(\.name).joined(separator: ", "))", at: nil, about: name)
        }
        if declaration.kinds.isEmpty {
            report(
                "no-download", .error, "the file fetches nothing",
                hint: "fetch: [\(rule.kinds.map(\.rawValue).joined(separator: ", "))]", at: nil, about: "fetch")
        }
        for kind in declaration.kinds where !rule.kinds.contains(kind) {
            report(
                "source-kind", .error, "the source \(declaration.source.rawValue) cannot fetch \(kind.rawValue)",
                hint: "it fetches: \(rule.kinds.map(\.rawValue).joined(separator: ", "))", at: nil, about: kind.rawValue
            )
        }
    }
}
