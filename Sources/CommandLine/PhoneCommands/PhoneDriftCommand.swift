import ArgumentParser
import Clocks
import Encodings
import Foundation
import HouseholdCommands
import Phone
import PhoneStore
import Terminal

struct PhoneDriftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift", abstract: "Show where banks' pages have begun to change, before a script breaks.",
        discussion: """
            A script may name several ways to find an element (`any:`). When a run needs a later way than the first, it goes \
            on and warns. This command counts these warnings over the phone's runs, for each bank's present script.

            Exit status: 0 no page has changed, 1 at least one has.
            """)

    @OptionGroup var home: HomeOption

    @Flag(help: "Print JSON, one step per line.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let drifts = try await PhoneDatabase(home.phone(with: \.database)).drift()
            let console = Console.standard
            for drift in drifts {
                if json {
                    console.line(drift.json.compactText())
                } else {
                    console.line("\(drift.bankID), step \(drift.step): \(drift.message)", .bad)
                    console.line(
                        "  in \(drift.runs) of \(drift.allRuns) runs, since \(Self.day(drift.since)), last on "
                            + Self.day(drift.latest))
                }
            }
            guard drifts.isEmpty else { throw ExitCode(1) }
            if !json { console.line("no run of a present script has warned") }
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
