import ArgumentParser
import Broker
import BrokerStore
import Clocks
import Encodings
import Foundation
import HouseholdCommands
import Messages
import Terminal

package struct ScheduleCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "schedule", abstract: "Have the broker on this machine offer documents again and again.",
        discussion: """
            A schedule makes offers, never approvals. An offer waits on the phone's page until you open it, for 90 days at \
            most; opening it makes a request, which you approve as any other. Offers that were missed while the broker did \
            not run come as one, at its next start, except for a bank that gives one statement in a visit: there each month \
            comes as an offer of its own. Documents that the agent has are not offered again.

            Works on the broker's database (BROKER_DATABASE_PATH), whether the broker runs or not.
            """,
        subcommands: [ScheduleAddCommand.self, ScheduleListCommand.self, ScheduleRemoveCommand.self])

    package init() {}
}

package struct ScheduleAddCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a schedule.",
        discussion: """
            The time is that of the named place, also when its clocks change: 02:30 comes once in a night that has it twice, \
            and an hour later in a night that has it not. Day 31 is the last day of a shorter month. Without a time zone, \
            this machine's counts.
            """)

    @Option(
        help: "The bank, by its id in countersign banks; needed when there are several.", completion: .offeredBanks)
    var bank: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Every month: the day, the time and the time zone.", valueName: "3 08:00 Europe/Berlin"))
    var monthly: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Every week: the day of the week, the time and the zone.", valueName: "monday 08:00 …"))
    var weekly: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("In January, April, July and October: day, time, zone.", valueName: "3 08:00 …"))
    var quarterly: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Every year: month and day, time, zone.", valueName: "02-15 08:00 …"))
    var yearly: [String] = []

    @Option(help: "The kinds of documents, such as pdf,camt. By default pdf, or what the bank has in its place.")
    var kinds: DocumentKinds?

    @Option(help: AccountName.help)
    var account: [AccountName] = []

    @Option(help: "The months of one offer, up to the last month: by default as many as lie between two offers.")
    var months: Int?

    @Option(help: "The agent that gets the documents, by its name in countersign agent list.")
    var agent = AgentName.standard.description

    @Flag(help: "Print JSON.")
    var json = false

    package init() {}

    package func validate() throws {
        guard given.count == 1 else {
            throw ValidationError("give one of --weekly, --monthly, --quarterly and --yearly")
        }
        _ = try recurrence()
        guard AgentName(agent) != nil else {
            throw ValidationError("“\(agent)” is not an agent's name; countersign agent list shows them")
        }
    }

    private var given: [(String, [String])] {
        [("weekly", weekly), ("monthly", monthly), ("quarterly", quarterly), ("yearly", yearly)].filter {
            !$0.1.isEmpty
        }
    }

    /// - Throws: `ValidationError`.
    private func recurrence() throws -> Recurrence {
        let (every, words) = given[0]
        let zone = words.count == 2 ? [TimeZone.current.identifier] : []
        do {
            return try Recurrence(([every] + words + zone).joined(separator: " "))
        } catch {
            throw ValidationError("--\(every): \(error.message)")
        }
    }

    package func run() async throws {
        let recurrence = try recurrence()
        let agent = AgentName(agent) ?? .standard
        try await reportingFailures {
            let broker = try BrokerAdministration.onThisMachine()
            let schedule = try await broker.schedules.add(
                bankID: try await chosenBank(at: broker), recurrence, kinds: kinds?.kinds,
                accounts: account.map(\.alias),
                months: months, agent: agent)
            Console.standard.lines(
                json ? schedule.json(at: Date()).compactText() : "\(schedule.id) is added\n" + schedule.words())
        }
    }

    private func chosenBank(at broker: BrokerAdministration) async throws -> String {
        if let bank { return bank }
        switch try await broker.usualBank() {
        case .bank(let id): return id
        case .oneOf(let ids): return try BankChoice.among(ids, isAsked: !json)
        }
    }
}

package struct ScheduleListCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(commandName: "list", abstract: "List the schedules.")

    @Flag(help: "Print JSON, one schedule per line.")
    var json = false

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let broker = try BrokerAdministration.onThisMachine()
            let store = broker.schedules
            let (schedules, unreadable) = (try await store.schedules(), try await store.unreadable())
            if !json, Console.isTerminal, !schedules.isEmpty {
                Console.standard.table(Self.table(of: schedules))
            } else {
                for schedule in schedules {
                    Console.standard.line(
                        json
                            ? schedule.json(at: Date()).compactText()
                            : "\("\(schedule.id)".inLine())  \(schedule.words().inLine(limit: 400))")
                }
            }
            for id in unreadable {
                Console.standard.error(
                    "\(id.inLine()) cannot be read by this version, and makes no offers; remove it with: countersign schedule "
                        + "remove \(id.inLine())")
            }
            if schedules.isEmpty, unreadable.isEmpty, !json {
                let bank = try await broker.bankOption()
                Console.standard.line(
                    "no schedule was added yet; add one with: countersign schedule add --monthly 3 08:00 Europe/Berlin"
                        + bank, .faint)
            }
        }
    }

    /// - Parameter zone: the zone of the reader. A time of another zone names it.
    static func table(of schedules: [Schedule], at now: Date = Date(), in zone: TimeZone = .current) -> Table {
        var table = Table("ID", "BANK", "WHEN", "NEXT", "WHAT", wrapsLast: true)
        for schedule in schedules {
            let recurrence = schedule.recurrence
            let when =
                recurrence.zone.identifier == zone.identifier
                ? recurrence.description.split(separator: " ").dropLast().joined(separator: " ")
                : recurrence.description
            table.add(
                String(schedule.id.prefix(8)), schedule.bankID, when,
                schedule.next(after: now).ahead(of: now), schedule.what)
        }
        return table
    }
}

package struct ScheduleRemoveCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a schedule.", discussion: "The offers that it has made stay.")

    @Argument(help: "The schedule's id, or its first digits.")
    var id: String

    @Flag(help: "Print JSON.")
    var json = false

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let removed = try await BrokerAdministration.onThisMachine().schedules.remove(id)
            let answer: JSONValue = ["schedule_id": .string(removed), "removed": true]
            Console.standard.line(json ? answer.compactText() : "\(removed) is removed")
        }
    }
}

extension Schedule {
    /// The documents of each offer, and the agent that gets them: `Savings; csv, pdf; 1 month; for books`.
    fileprivate var what: String { contents.joined(separator: "; ") }

    private var contents: [String] {
        var parts = accounts.isEmpty ? [] : [accounts.map(\.description).joined(separator: ", ")]
        parts.append(kinds.map(\.rawValue).joined(separator: ", "))
        parts.append(months.counted("month"))
        if agent != .standard { parts.append("for \(agent)") }
        return parts
    }

    /// The schedule in words: `default  monthly 3 08:00 Europe/Berlin  pdf  1 month  next 3 Dec 2026, 08:00 CET`.
    ///
    /// - Parameter zone: the zone of the reader.
    func words(at now: Date = Date(), in zone: TimeZone = .current) -> String {
        let next = "next \(next(after: now).inWords(zone: zone))"
        return ([bankID, recurrence.description] + contents + [next]).joined(separator: "  ")
    }
}
