import ArgumentParser
import Foundation
import Terminal
import TestServers
import TestSupport
import Testing

@testable import CountersignCommandLine

/// Mistakes of the people who use the command line, and the messages that they get, each graded by how well it helps; see
/// `Mistakes/README.md`.
///
/// To write the messages anew after a change that is meant: `COUNTERSIGN_WRITE_MISTAKES=1 make mistakes`, then read every one
/// that changed, and grade it.
@Suite("What a user's mistake is answered with", .serialized)
struct UserMistakesTests {
    /// The state of the machine on which a mistake is made.
    enum Stage: String, Sendable, CaseIterable {
        /// Nothing is set up.
        case nothing
        /// Nothing is set up, and the mistake is in a file.
        case files
        /// A household with an own bank has been stopped.
        case stopped
        /// A household with an own bank runs.
        case running

        var hasHousehold: Bool { self == .stopped || self == .running }
    }

    struct Mistake: Sendable {
        var grade: Character
        /// The command line as it is typed.
        var line: String
        /// The status and the message.
        var said: [String]

        var text: String { (["\(grade) \(line)"] + said).joined(separator: "\n") }

        /// The words of the command line after the program's name. Quotes hold a word together.
        var arguments: [String] {
            line.matches(of: /"([^"]*)"|(\S+)/).map { String($0.1 ?? $0.2 ?? "") }.dropFirst().map { $0 }
        }
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Mistakes/mistakes.txt")

    /// The mistakes of the file, by stage.
    private static func read() throws -> [Stage: [Mistake]] {
        var (all, stage): ([Stage: [Mistake]], Stage?) = ([:], nil)
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("== ") {
                let named: Stage = try #require(Stage(rawValue: String(line.dropFirst(3))))
                stage = named
                continue
            }
            let stage = try #require(stage)
            if let found = line.wholeMatch(of: /([A-F]) (countersign .*)/) {
                all[stage, default: []].append(
                    Mistake(grade: found.1.first ?? "F", line: String(found.2), said: []))
            } else {
                let last = try #require(all[stage]?.indices.last, "\(line)")
                all[stage]?[last].said.append(String(line))
            }
        }
        return all
    }

    private static let isWriting = ProcessInfo.processInfo.environment["COUNTERSIGN_WRITE_MISTAKES"] != nil

    /// True when each mistake is made in a process, which takes a minute.
    static let makesAll = isWriting || ProcessInfo.processInfo.environment["COUNTERSIGN_ALL_MISTAKES"] != nil

    @Test("at least two hundred, and nearly all of them well")
    func grades() throws {
        let all = try Self.read().values.flatMap { $0 }
        #expect(all.count >= 200)
        #expect(all.filter { $0.grade == "A" }.count * 10 >= all.count * 9, "nine of ten are graded A")
        #expect(all.allSatisfy { "AB".contains($0.grade) }, "none misleads")
        #expect(Set(all.map { $0.line }).count * 10 >= all.count * 9, "they differ")
    }

    @Test("as it was read and found good, when the argument parser refuses it")
    func refusals() throws {
        var refused = 0
        // To parse a line takes a moment, and the parser's refusals have this status.
        for mistake in try Self.read().values.flatMap({ $0 }) where mistake.said.first?.hasPrefix("[2]") == true {
            guard let text = Self.refusal(of: mistake.arguments) else { continue }
            refused += 1
            #expect(Self.lines(of: "[2] \(text)", to: mistake) == mistake.said, "\(mistake.line)")
        }
        #expect(refused >= 60)
    }

    @Test(
        "as it was read and found good", .timeLimit(.minutes(6)),
        arguments: makesAll ? Stage.allCases : [.nothing, .files])
    func answers(_ stage: Stage) async throws {
        let own = try OwnBankHousehold()
        try Self.writeFiles(into: own.household.home)
        // A port that another program listens at.
        let busy = try LoopbackSocket.bound()
        defer { close(busy.descriptor) }
        try #require(listen(busy.descriptor, 1) == 0)
        var program: Program?
        if stage.hasHousehold { program = try await own.firstStart().program }
        if stage == .stopped, let running = program {
            try await OwnBankHousehold.stop(running)
            program = nil
        }
        var all = try Self.read()
        for (index, mistake) in (all[stage] ?? []).enumerated() where Self.makesAll || index.isMultiple(of: 9) {
            guard Self.makesAll || Self.refusal(of: mistake.arguments) == nil else { continue }
            let outcome = try await CountersignProcess(
                mistake.arguments.map { $0 == "BUSY" ? "\(busy.port)" : $0 }, environment: own.household.environment,
                in: own.household.home
            ).run()
            let said = Self.lines(
                of: "[\(outcome.status)] " + outcome.output + outcome.errors, to: mistake,
                replacing: ["\(busy.port)": "BUSY", own.household.home.path: "~"])
            all[stage]?[index].said = said
            #expect(outcome.status != 0, "a mistake is an error: \(mistake.line)")
            if !Self.isWriting { #expect(said == mistake.said, "\(mistake.line)") }
        }
        if let program { try await OwnBankHousehold.stop(program) }
        guard Self.isWriting else { return }
        let sections = Stage.allCases.map { stage in
            "== \(stage.rawValue)\n\n" + (all[stage] ?? []).map(\.text).joined(separator: "\n\n")
        }
        try Data((sections.joined(separator: "\n\n") + "\n").utf8).write(to: Self.file)
    }

    /// Returns what is said of a command line that the argument parser refuses; nil for one that it takes.
    static func refusal(of arguments: [String]) -> String? {
        if arguments.first == "help", let mistyped = MistypedCommand(arguments, of: Countersign.self) {
            return "countersign: \(mistyped.message)"
        }
        do {
            _ = try Countersign.parseAsRoot(arguments)
            return nil
        } catch {
            guard Countersign.exitCode(for: error) == .validationFailure else { return nil }
            let complaint = Countersign.message(for: error)
            if let mistyped = MistypedCommand(arguments, of: Countersign.self, complaint: complaint) {
                return "countersign: \(mistyped.message)"
            }
            return UsageText.wrapped(Countersign.fullMessage(for: error))
        }
    }

    /// Returns the lines of the status and of what was printed, without what is another at each run.
    private static func lines(
        of whole: String, to mistake: Mistake, replacing places: [String: String] = [:]
    ) -> [String] {
        var text = whole
        for (place, name) in places { text = text.replacing(place, with: name) }
        text = text.replacing(/127\.0\.0\.1:\d{4,5}/, with: "127.0.0.1:PORT")
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/, with: "ID")
            .replacing(/\(\d+ (ms|s)\)/, with: "(TIME)")
            // The first start that gets this far says it, and no later one.
            .replacing(/The household's file is [^\n]*\n/, with: "")
        if !mistake.line.contains(where: \.isNumber) {
            text = text.replacing(/did you mean \d{4}-/, with: "did you mean YEAR-")
        }
        text = text.replacing(/(--param year=)\d{4}/) { "\($0.1)YEAR" }
        return text.split(separator: "\n").map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    }

    /// Writes the files in which the mistakes are.
    private static func writeFiles(into home: URL) throws {
        func write(_ name: String, _ text: String) throws {
            let file = home.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            chmod(file.path, 0o600)
        }
        try write("bad.json", #"{"username": "robin" "password": "x"}"#)
        try write("lacking.json", #"{"username": "robin"}"#)
        try write("typo.json", #"{"username": "robin", "pasword": "never sent"}"#)
        try write("number.json", #"{"username": "robin", "password": 12}"#)
        try write("short", "eleven char\n")
        try write("empty", "")
        try write("wrong-passphrase", "not this passphrase\n")
        try write("paper.txt", "This is a letter.\n")
        try write("paper.pdf", "%PDF-1.4\n%%EOF\n")
        try write("trial-scripts/trial.yaml", OwnBankHousehold.script(of: "trial", more: "testing: true"))
        try write("fresh-scripts/fresh.yaml", OwnBankHousehold.script(of: "fresh"))
        try write(
            "broken-scripts/my-bank.yaml",
            OwnBankHousehold.script(of: "my-bank").replacing("press", with: "pres"))
        try FileManager.default.createDirectory(
            at: home.appending(path: "archive"), withIntermediateDirectories: true)
    }
}
