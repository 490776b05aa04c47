import ArgumentParser
import BrokerClient
import Foundation

/// Kills, breaks, floods and misleads broker and phone, and counts losses and duplicates.
@main
struct Torture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture", abstract: "What broker and phone survive: tried, survived, lost (0), doubled (0).",
        subcommands: [RunCommand.self, BrokerRole.self, PhoneRole.self, ExchangeRole.self, StageRole.self],
        defaultSubcommand: RunCommand.self)
}

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Run the parts and print the table.")

    @Option(help: "Take about so many minutes in all; without it every part is done in full, which takes hours.")
    var minutes: Double?

    @Option(help: "These parts alone, by the first words of their names.")
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "Run so many parts once more in which something came too late, and pass if the second time is clean.",
            discussion:
                "What the first time found is printed at the end, as a fault to mend. Whatever is doubled, torn or "
                + "forgotten has no second try."))
    var again = 0

    @Option(help: ArgumentHelp("Add the faults of first times to this file.", valueName: "file"))
    var faults: String?

    func run() async throws {
        // Writing to a dead child must not end the rig.
        signal(SIGPIPE, SIG_IGN)
        var table = Table()
        var left = again
        let began = ContinuousClock.now
        for part in Part.allCases where isWanted(part) {
            let row = await row(of: part)
            guard row.isLate, left > 0 else {
                table.add(part.rawValue, row)
                continue
            }
            left -= 1
            table.remember(part.rawValue, row)
            table.add(part.rawValue, await self.row(of: part))
        }
        say("\n\(table.text)\n\nin \(Table.words(ContinuousClock.now - began))")
        if let faults, table.isClean, !table.firstTimes.isEmpty {
            let known = (try? String(contentsOfFile: faults, encoding: .utf8)) ?? ""
            let lines = table.firstTimes.flatMap { Table.lines($0.name, $0.row) }.joined(separator: "\n")
            try (known + lines + "\n").write(toFile: faults, atomically: true, encoding: .utf8)
        }
        if !table.isClean { throw ExitCode.failure }
    }

    /// Runs a part. One that throws has lost something.
    private func row(of part: Part) async -> Tally {
        say("\(part.rawValue) …")
        let started = ContinuousClock.now
        let faults = Tally.certainFaults
        var row: Tally
        do {
            row = try await part.run(Extent(of: part, minutes: minutes))
        } catch {
            row = Tally(tried: 1)
            let trouble = "the part ended early: \(error)"
            // A broker that did not answer in time may answer on a machine that is less busy.
            let isTime = (error as? AgentError).map { $0.code == nil } ?? (error is Impatience)
            if isTime, Tally.certainFaults == faults {
                row.loseByTime(trouble)
            } else {
                row.lose(trouble)
            }
        }
        row.took = ContinuousClock.now - started
        for line in Table.lines(part.rawValue, row) { say("  \(line)") }
        return row
    }

    private func isWanted(_ part: Part) -> Bool {
        only.isEmpty || only.contains { part.rawValue.lowercased().hasPrefix($0.lowercased()) }
    }
}

/// The rows of the table, in the order in which they run.
enum Part: String, CaseIterable {
    case kills = "kill -9 at random moments"
    case documentKills = "kill -9 in several documents"
    case archiveKills = "kill -9 while documents are filed"
    case offerKills = "kill -9 around offers"
    case exchangeKills = "kill -9 during exchanges"
    case pinKills = "kill -9 at a wrong PIN"
    case visitKills = "the process of a visit is ended"
    case sockets = "troubles at the broker's socket"
    case dialogCuts = "dialogs with banks cut at each message"
    case upgrades = "an upgrade in the middle of a run"
    case restores = "restore of an old backup"
    case lostPhone = "two phones and a lost one"
    case brokerCalls = "SIGKILL at each file call: broker"
    case phoneCalls = "SIGKILL at each file call: phone"
    case brokerErrors = "file errors: broker"
    case phoneErrors = "file errors: phone"
    case commits = "commits on the disk"
    case schedules = "publish schedules"
    case overflow = "inotify overflow"
    case clocks = "clock steps of 24 h"
    case slow = "slow connections"
    case partitions = "partitions of the assistant"
    case soak = "soak"
    case ownEnds = "ends of the torture itself"

    func run(_ extent: Extent) async throws -> Tally {
        switch self {
        case .kills: try await RandomKills(extent: extent).run()
        case .documentKills: try await DocumentKills(extent: extent).run()
        case .archiveKills: try await ArchiveKills(extent: extent).run()
        case .offerKills: try await OfferKills(extent: extent).run()
        case .exchangeKills: try await ExchangeKills(extent: extent).run()
        case .pinKills: try await PINKills(extent: extent).run()
        case .visitKills: try await VisitKills(extent: extent).run()
        case .sockets: try await SocketTroubles(extent: extent).run()
        case .dialogCuts: try await DialogCuts(extent: extent).run()
        case .upgrades: try await Upgrades(extent: extent).run()
        case .restores: try await Restores(extent: extent).run()
        case .lostPhone: try await LostPhone(extent: extent).run()
        case .brokerCalls: try await BrokerFileCalls(extent: extent).run()
        case .phoneCalls: try await PhoneFileCalls(extent: extent).run()
        case .brokerErrors: try await BrokerFileErrors(extent: extent).run()
        case .phoneErrors: try await PhoneFileErrors(extent: extent).run()
        case .commits: try await CommitsOnDisk(extent: extent).run()
        case .schedules: try await PublishSchedules(extent: extent).run()
        case .overflow: try await WatchOverflow(extent: extent).run()
        case .clocks: try await ClockSteps().run()
        case .slow: try await SlowConnections(extent: extent).run()
        case .partitions: try await Partitions(extent: extent).run()
        case .soak: try await Soak(extent: extent).run()
        case .ownEnds: try await OwnEnds(extent: extent).run()
        }
    }
}

/// The extent of a part: its full count, or its share of the minutes.
struct Extent: Sendable {
    let isFull: Bool
    /// The count of the full form; nil if the part counts for itself.
    let count: Int
    let deadline: ContinuousClock.Instant
    /// The duration of a part that has no count.
    let duration: Duration

    init(of part: Part, minutes: Double?) {
        let (share, full, longest): (Double, Int, Duration) =
            switch part {
            case .kills: (0.17, 1000, .seconds(36_000))
            case .documentKills: (0.05, 50, .seconds(3600))
            case .archiveKills: (0.06, 50, .seconds(3600))
            case .offerKills: (0.06, 100, .seconds(3600))
            case .exchangeKills: (0.05, 500, .seconds(3600))
            case .pinKills: (0.05, 100, .seconds(3600))
            case .visitKills: (0.08, 80, .seconds(3600))
            case .sockets: (0.06, 70, .seconds(3600))
            case .dialogCuts: (0.06, 100, .seconds(3600))
            case .upgrades: (0.06, 50, .seconds(3600))
            case .restores: (0.07, 50, .seconds(3600))
            case .lostPhone: (0.06, 100, .seconds(3600))
            case .brokerCalls, .phoneCalls: (0.10, .max, .seconds(36_000))
            case .brokerErrors, .phoneErrors: (0.09, .max, .seconds(36_000))
            case .commits: (0.02, 100, .seconds(60))
            case .schedules: (0.07, 1000, .seconds(36_000))
            case .overflow: (0.05, 5000, .seconds(3600))
            case .clocks: (0.05, .max, .seconds(3600))
            case .slow: (0.03, 200, .seconds(30))
            case .partitions: (0.06, 100, .seconds(3600))
            case .soak: (0.06, .max, .seconds(3600))
            case .ownEnds: (0.02, 30, .seconds(3600))
            }
        isFull = minutes == nil
        count = full
        duration = minutes.map { .seconds($0 * 60 * share) } ?? longest
        deadline = .now + duration
    }

    var isOver: Bool { ContinuousClock.now >= deadline }

    /// Returns all cases in order in the full form; else as many as there is time for, in random order.
    func order(_ numbers: ClosedRange<Int>) -> [Int] { isFull ? Array(numbers) : numbers.shuffled() }
}
