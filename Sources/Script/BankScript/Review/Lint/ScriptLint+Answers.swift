// Checks of downloads that are made of JSON answers.

extension ScriptLint {
    mutating func checkAnswers(of download: DownloadStep, at mark: Mark?) {
        if let pages = download.pages {
            switch pages.next {
            case .link(let path), .cursor(let path, _), .offset(_, let path): checkJSONPath(Template(path), at: mark)
            }
        }
        guard case .transactions(let mapping) = download.content else { return }
        checkJSONPath(mapping.entries, at: mark)
        check(mapping.account, at: mark)
        for (_, path) in mapping.paths { checkJSONPath(Template(path), at: mark) }
        for marked in [mapping.outgoing, mapping.pending].compactMap(\.self) { check(Template(marked.text), at: mark) }
        let currency = mapping.currency
        check(Template(currency), at: mark)
        guard !currency.hasPrefix("$"), Template(currency).names.isEmpty, currency.wholeMatch(of: /[A-Z]{3}/) == nil
        else { return }
        report(
            "currency", .error, "“\(currency)” is not a currency", hint: "write three capital letters, or a JSONPath",
            at: mark, about: currency)
    }
}
