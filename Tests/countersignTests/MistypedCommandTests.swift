import Foundation
import Testing

@testable import CountersignCommandLine

@Suite("A command line with a typo")
struct MistypedCommandTests {
    @Test(
        "is answered with what is near it",
        arguments: [
            (["aprove"], "“aprove” is not a command of countersign; did you mean: countersign approve"),
            (["reqest", "last-month"], "did you mean: countersign request"),
            (
                ["script", "tset"],
                "“tset” is not a command of countersign script; did you mean: countersign script test"
            ),
            (["phone", "bank", "list"], "did you mean: countersign phone banks"),
            (["banks", "lst"], "did you mean: countersign banks list"),
            (["help", "upp"], "did you mean: countersign up"),
            (["help", "script", "tset"], "did you mean: countersign script test"),
            (["serve"], "did you mean: countersign script mockbank serve, or: countersign broker serve"),
            (["lint", "x.yaml"], "did you mean: countersign script lint"),
            (["frobnicate"], "“frobnicate” is not a command of countersign; list them with: countersign --help"),
            (["script", "frobnicate"], "its commands are list, new, record"),
            (
                ["request", "--bnak", "default", "last-month"],
                "“--bnak” is not an option of countersign request; did you mean --bank?"
            ),
            (["request", "--bnak=default"], "did you mean --bank?"),
            (["up", "--passphrase", "x"], "give --passphrase-file FILE, or leave it out to be asked"),
            (["request", "--token", "x", "last-month"], "give --token-file FILE, or set BROKER_API_TOKEN"),
            (["status", "--pin", "x"], "“--pin” is not an option of countersign status"),
            (
                ["up", "--frobnicate"],
                "“--frobnicate” is not an option of countersign up; list them with: countersign up --help"
            ),
            (["banks", "--jsno"], "“--jsno” is not an option of countersign banks; did you mean --json?"),
            (["sheduel", "list"], "did you mean: countersign schedule"),
            (["login"], "“login” is not a command of countersign; did you mean: countersign up"),
            (["stop"], "did you mean: countersign up --stop"),
            (["-v"], "“-v” is not an option of countersign; did you mean --version?"),
            (["requests", "-j"], "did you mean --json?"),
            (["request", "--bank=", "last-month"], "“--bank=” has no value"),
            (["devices", "add"], "did you mean: countersign pair"),
            (["countersign", "up"], "“countersign” came along when the line was copied; leave it out"),
            (["$", "countersign", "up"], "“$” came along when the line was copied"),
            (["mockbnk", "serve"], "did you mean: countersign script mockbank"),
            (["phone", "aprove"], "did you mean: countersign approve"),
            (["phone", "banks", "ad"], "did you mean: countersign banks add"),
            (["plugin"], "countersign script plugins"),
            (["uninstal"], "did you mean: countersign up --remove"), (["Hilfe"], "did you mean: countersign --help"),
            (["request", "—wait"], "“—wait” begins with a dash where an option has two hyphens; did you mean --wait?"),
            (["request", "–-bank=default"], "did you mean --bank?"),
        ] as [([String], String)])
    func typo(arguments: [String], words: String) throws {
        let message = try #require(MistypedCommand(arguments, of: Countersign.self)?.message)
        #expect(message.contains(words), "\(message)")
    }

    @Test(
        "without a typo is left to its command",
        arguments: [
            [], ["help"], ["help", "up"], ["up", "--bank", "mock"], ["banks"], ["script", "new", "--", "--strange"],
            ["request", "last-month", "--bank=default"], ["up", "--no-test-login"], ["--version"], ["-h"],
            ["phone", "pending", "--passphrase-file", "-"],
            ["archive", "find", "rent"],
        ])
    func fine(arguments: [String]) {
        #expect(MistypedCommand(arguments, of: Countersign.self)?.message == nil)
    }

    @Test(
        "of another kind says what the command takes",
        arguments: [
            (
                ["request", "last-month", "--kinds", "pdf,cvs"],
                "The value 'pdf,cvs' is invalid for '--kinds <kinds>'. Please provide one of the following:\n  - pdf\n  - csv\n",
                "“cvs” is not a value of --kinds; did you mean csv? It can be pdf, csv"
            ),
            (
                ["archive", "export", "--format", "x"],
                "The value 'x' is invalid for '--format <format>'. Please provide one of 'json', 'csv' or 'ofx'.",
                "“x” is not a value of --format; it can be json, csv, ofx"
            ),
            (
                ["script", "mockbank", "serve", "--port", "eighty"],
                "The value 'eighty' is invalid for '--port <port>'",
                "“eighty” is not a whole number, which --port takes"
            ),
            (["up", "my-bank"], "Unexpected argument 'my-bank'", "did you mean --bank my-bank?"),
            (["script", "new", "my-bank"], "Unexpected argument 'my-bank'", "--output my-bank"),
            (["status", "now"], "Unexpected argument 'now'", "countersign status --help"),
            (
                ["request", "last-month", "--wait", "5"], "Unexpected argument '5'",
                "--wait takes no value; leave “5” out"
            ),
            (
                ["request", "2026-01", "2026-03"], "Unexpected argument '2026-03'",
                "for several months: --from 2026-01 --to 2026-03"
            ),
            (
                ["request", "2026-01", "--kinds", "pdf", "CSV", "ofx"], "2 unexpected arguments: 'CSV', 'ofx'",
                "several kinds go together: --kinds pdf,csv"
            ),
            (
                ["request", "--kinds", "pdf", "csv"], "The value 'csv' is invalid for '<period>'",
                "several kinds go together: --kinds pdf,csv"
            ),
            (
                ["pair", "17-ABCD-EFGH@https://broker.home"],
                "Unexpected argument '17-ABCD-EFGH@https://broker.home'",
                "the line of a pairing belongs on the phone's machine; run there: countersign up --phone-only LINE"
            ),
            (
                ["request", "last-month", "2026"], "Unexpected argument '2026'",
                "last-month has its year already; leave “2026” out"
            ),
        ] as [([String], String, String)])
    func values(arguments: [String], complaint: String, words: String) throws {
        let message = try #require(
            MistypedCommand(arguments, of: Countersign.self, complaint: complaint)?.message)
        #expect(message.contains(words), "\(message)")
    }

    @Test(
        "a month without its year is the newest one",
        arguments: [("january", "2026-01"), ("novmber", "2025-11"), ("März", "2026-03")])
    func monthAlone(typed: String, meant: String) throws {
        // 2026-10-15, 12:00 UTC
        let now = Date(timeIntervalSince1970: 1_792_065_600)
        #expect(MeantMonth.of(typed, at: now, in: .gmt) == meant)
    }

    @Test(
        "and a month is read as a person may have meant it",
        arguments: [
            ("lst-month", "did you mean last-month?"), ("2026-1", "did you mean 2026-01?"),
            ("1/2026", "did you mean 2026-01?"), ("October-2026", "did you mean 2026-10?"),
            ("oct 2026", "did you mean 2026-10?"), ("last month", "did you mean last-month?"),
            ("Okt 2026", "did you mean 2026-10?"), ("2026 décembre", "did you mean 2026-12?"),
            ("31.10.2026", "did you mean 2026-10?"), ("2026-10-05", "did you mean 2026-10?"),
            ("letzten Monat", "did you mean last-month?"), ("ÚLTIMO MES", "did you mean last-month?"),
            ("“last-month”", "did you mean last-month?"), ("ce mois", "did you mean this-month?"),
            ("2025", "for several months: --from 2025-01 --to 2025-12"),
            ("2026-Q1", "for several months: --from 2026-01 --to 2026-03"),
            ("2026-01..2026-03", "for several months: --from 2026-01 --to 2026-03"),
            ("2026-13", "write one such as 2026-01"), ("next-month", "write one such as 2026-01"),
            ("soon", "write one such as 2026-01"),
        ])
    func month(typed: String, words: String) throws {
        let complaint = "The value '\(typed)' is invalid for '<period>'"
        let message = try #require(
            MistypedCommand(["request", typed], of: Countersign.self, complaint: complaint)?.message)
        #expect(message.hasPrefix("“\(typed)” is not a month; ") && message.contains(words), "\(message)")
    }
}
