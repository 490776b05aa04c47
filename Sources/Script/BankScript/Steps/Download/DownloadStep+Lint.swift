// Checks of downloads.

extension ScriptLint {
    mutating func checkAtOnce() {
        guard BankScript.atOnceRange.contains(script.atOnce) else {
            return report(
                "at-once", .error, "1 to 6 downloads may run side by side, not \(script.atOnce)",
                hint: "a browser makes six connections to a host", at: nil, about: "at once")
        }
        guard script.atOnce > 1 else { return }
        if script.engine == .browser {
            report(
                "at-once", .warning, "the engine browser downloads one file after another, whatever “at once” says",
                hint: "leave out “at once”", at: nil, about: "at once")
        } else if !script.stepsForOnePeriod.hasDownloadsInARow, !script.monthsNeedNoPage {
            report(
                "at-once", .warning, "“at once” changes nothing: no two downloads follow one another",
                hint: "write the downloads one below the other, without steps between them", at: nil, about: "at once")
        }
        for step in script.stepsForOnePeriod.downloadsThatSendABody {
            report(
                "at-once", .warning, "this download sends a body, so it runs alone: \(step.action.words)",
                hint: "only a GET runs beside others", at: step.mark)
        }
    }
}

// Checks of archives with the documents of several months.

extension ScriptLint {
    mutating func checkFileName(_ download: DownloadStep, at mark: Mark?) {
        guard let name = download.content.fileName else { return }
        check(name, at: mark)
        if script.asksForDays {
            report(
                "file-name", .error,
                "“named” takes the files of whole months from the archive, but the script asks for days with {{ from }} and {{ to }}",
                hint: "write {{ first_day }} and {{ last_day }}, or leave out “named”", at: mark, about: name.source)
        }
        guard Set(name.names).isDisjoint(with: ["month"] + script.periodNames) else { return }
        report(
            "file-name", .error, "every month would get the same files of the archive: “named” does not name the month",
            hint: "write what the names of one month's files contain: named: \"{{ year }}-{{ month | pad }}\"",
            at: mark,
            about: name.source)
    }
}

extension [Step] {
    /// True if two downloads follow one another, here or inside a step.
    fileprivate var hasDownloadsInARow: Bool {
        zip(self, dropFirst()).contains { $0.action.isDownload && $1.action.isDownload }
            || contains { $0.action.kind.blocks.contains { $0.steps.hasDownloadsInARow } }
    }

    fileprivate var downloadsThatSendABody: [Step] {
        flattened.filter { step in
            switch step.action.as(DownloadStep.self)?.source {
            case .request(let request): request.method != "GET"
            case .submit: true
            default: false
            }
        }
    }
}

extension Action {
    fileprivate var isDownload: Bool { self.as(DownloadStep.self) != nil }
}

// MARK: What is made of JSON answers

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
        if let besides = mapping.besides { check(Template(besides.payee), at: mark) }
        let currency = mapping.currency
        check(Template(currency), at: mark)
        guard !currency.hasPrefix("$"), Template(currency).names.isEmpty, currency.wholeMatch(of: /[A-Z]{3}/) == nil
        else { return }
        report(
            "currency", .error, "“\(currency)” is not a currency", hint: "write three capital letters, or a JSONPath",
            at: mark, about: currency)
    }
}

// MARK: Printing

extension ScriptLint {
    mutating func checkPrinting(_ download: DownloadStep, at mark: Mark?) {
        if script.engine != .browser {
            report(
                "print", .error, "the script prints a page, which only the browser can",
                hint: "write “engine: browser” at the top", at: mark, about: "print")
        }
        if download.content != .document(.pdf) {
            report(
                "print", .error, "a printed page is a PDF and nothing else", hint: "remove what it is printed as",
                at: mark, about: "print")
        }
        // A file is checked by its content, but every page prints to a good PDF.
        if previous?.kind.facts.contains(.checksPage) != true {
            report(
                "unchecked-print", .warning, "no step before it makes sure that the page is the statement",
                hint: "put before it - expect: { says: \"{{ month.name }} {{ year }}\" }", at: mark, about: "print")
        }
    }
}
