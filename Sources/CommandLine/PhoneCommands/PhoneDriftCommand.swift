import ArgumentParser
import Automation
import Clocks
import Encodings
import Foundation
import HouseholdCommands
import Phone
import PhoneStore
import ScriptCommands
import Terminal

struct PhoneDriftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift", abstract: "Show where banks' pages have begun to change, before a script breaks.",
        discussion: """
            A script may name several ways to find an element (`any:`). When a run needs a later way than the first, it goes \
            on and warns. This command counts these warnings over the phone's runs, for each bank's present script.

            Each run also compares the kinds and names of the links, buttons and fields of its pages with those of the first whole \
            run of the present script, and this command shows what changed: each page before (-) and now (+). Rows, values, \
            addresses, and words that only your pages have are not kept.

            Exit status: 0 nothing has changed that a script uses, 1 something has.
            """)

    @OptionGroup var home: HomeOption

    @Flag(help: "Print JSON, one step per line.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let database = try PhoneDatabase(home.phone(with: \.database))
            let drifts = try await database.drift()
            let pages = try await database.changedPages()
            let console = Console.standard
            for drift in drifts {
                if json {
                    console.line(drift.json.compactText())
                } else {
                    console.line("\(drift.bankID), step \(drift.step): \(drift.message)", .bad)
                    console.line(
                        "  in \(drift.runs) of \(drift.allRuns.counted("run")), since \(Self.day(drift.since)), last on "
                            + Self.day(drift.latest))
                }
            }
            for page in pages {
                if json { console.line(page.json.compactText()) } else { Self.show(page, on: console) }
            }
            guard drifts.isEmpty, !pages.contains(where: \.touchesScript) else { throw ExitCode(1) }
            if !json, pages.isEmpty { console.line("no run of a present script has warned, and no page has changed") }
        }
    }

    private static func show(_ page: PageHistory, on console: Console) {
        let since = page.changedAt.map { ", since \(day($0))" } ?? ""
        console.line(
            "\(page.bankID), step \(page.step): \(page.changes.sentence ?? "")\(since)",
            page.touchesScript ? .bad : .plain)
        let title = page.before.title.isEmpty ? "the page" : "the page “\(page.before.title)”"
        console.line("  \(title)\(page.firstAt.map { " on \(day($0))" } ?? ""), and now:")
        func lines(_ skeleton: PageSkeleton) -> String { skeleton.parts.map { $0.words + "\n" }.joined() }
        for line in LineDifference(from: lines(page.before), to: lines(page.now)).lines {
            console.line("    \(line.inLine(limit: 200))", line.hasPrefix("+") ? .bold : .faint)
        }
    }

    private static func day(_ date: Date) -> String { String(Timestamp(date).description.prefix(10)) }
}

extension ScriptDrift {
    fileprivate var json: JSONValue {
        [
            "bank_id": .string(bankID), "script_digest": .string(scriptDigest), "step": .number(Double(step)),
            "message": .string(message), "runs": .number(Double(runs)), "all_runs": .number(Double(allRuns)),
            "since": .string(Timestamp(since).description), "latest": .string(Timestamp(latest).description),
        ]
    }
}

extension PageHistory {
    fileprivate var json: JSONValue {
        func parts(_ page: PageSkeleton) -> JSONValue { .array(page.parts.map { .string($0.words) }) }
        func time(_ date: Date?) -> JSONValue { date.map { .string(Timestamp($0).description) } ?? .null }
        return [
            "bank_id": .string(bankID), "script_digest": .string(scriptDigest), "step": .number(Double(step)),
            "message": .string(changes.sentence ?? ""), "changes": .array(changes.map { .string($0.words) }),
            "uses": .bool(touchesScript), "before": parts(before), "now": parts(now), "first": time(firstAt),
            "since": time(changedAt), "latest": time(latestAt),
        ]
    }
}
