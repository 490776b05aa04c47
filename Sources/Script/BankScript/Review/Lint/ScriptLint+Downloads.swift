// Checks of downloads that run side by side.

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
            || contains { step in
                if case .when(_, let then, let otherwise) = step.action {
                    then.hasDownloadsInARow || otherwise.hasDownloadsInARow
                } else {
                    false
                }
            }
    }

    fileprivate var downloadsThatSendABody: [Step] {
        flatMap { step -> [Step] in
            switch step.action {
            case .download(let download):
                switch download.source {
                case .request(let request): request.method == "GET" ? [] : [step]
                case .submit: [step]
                default: []
                }
            case .when(_, let then, let otherwise):
                then.downloadsThatSendABody + otherwise.downloadsThatSendABody
            default: []
            }
        }
    }
}

extension Action {
    fileprivate var isDownload: Bool { if case .download = self { true } else { false } }
}
