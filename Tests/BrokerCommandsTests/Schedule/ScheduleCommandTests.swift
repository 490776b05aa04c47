import ArgumentParser
import BrokerStore
import Clocks
import Foundation
import Messages
import Testing

@testable import BrokerCommands

@Suite("The command schedule")
struct ScheduleCommandTests {
    @Test(
        "reads when, what and for whom",
        arguments: [
            ["--monthly", "3", "08:00", "Europe/Berlin", "--bank", "default", "--kinds", "pdf,csv"],
            ["--bank", "north", "--weekly", "monday", "08:00", "--account", "Savings", "--account", "Giro"],
            ["--quarterly", "31", "23:59", "UTC", "--months", "6", "--agent", "books", "--json"],
            ["--yearly", "02-29", "00:00", "Asia/Kolkata"],
        ])
    func accepted(arguments: [String]) throws {
        _ = try ScheduleAddCommand.parse(arguments)
    }

    @Test(
        "refuses what it cannot follow, and says what would be right",
        arguments: [
            ([], "one of --weekly, --monthly, --quarterly and --yearly"),
            (["--monthly", "3", "08:00", "UTC", "--weekly", "monday", "08:00"], "one of --weekly"),
            (["--monthly", "32", "08:00", "UTC"], "--monthly: “32” is not a day from 1 to 31"),
            (["--monthly", "3", "8 o'clock", "UTC"], "--monthly: “"),
            (["--monthly", "3"], "such as 3 08:00 Europe/Berlin"),
            (["--weekly", "moonday", "08:00", "UTC"], "such as monday"),
            (["--yearly", "02-30", "08:00", "UTC"], "such as 02-15"),
            (["--monthly", "3", "08:00", "Mars/Olympus"], "such as Europe/Berlin or UTC"),
            (["--monthly", "3", "08:00", "UTC", "--agent", "Not A Name"], "countersign agent list"),
        ])
    func refused(arguments: [String], hint: String) {
        do {
            _ = try ScheduleAddCommand.parse(arguments)
            Issue.record("\(arguments) was accepted")
        } catch {
            let message = ScheduleAddCommand.message(for: error)
            #expect(message.contains(hint), "\(message)")
        }
    }

    @Test("shows a schedule on one line, with its next moment to the minute, in the reader's zone")
    func words() throws {
        let created = try #require(Timestamp("2026-11-25T12:00:00Z"))
        let schedule = Schedule(
            id: "0a1b2c3d", bankID: "default", recurrence: try Recurrence("monthly 3 08:00 Europe/Berlin"),
            kinds: [.csv, .pdf], accounts: [try #require(AccountAlias("Savings"))], months: 1,
            agent: try #require(AgentName("books")), createdAt: created, handledUntil: created)
        #expect(
            schedule.words(at: created.date, in: .gmt)
                == "default  monthly 3 08:00 Europe/Berlin  Savings  csv, pdf  1 month  for books  next "
                + "3 Dec 2026, 07:00 GMT")
    }

    @Test("lists them under a header in 80 columns; a time of another zone names it")
    func table() throws {
        let created = try #require(Timestamp("2026-11-25T12:00:00Z"))
        func schedule(_ id: String, _ recurrence: String, accounts: [AccountAlias], agent: AgentName) throws -> Schedule
        {
            Schedule(
                id: id, bankID: "default", recurrence: try Recurrence(recurrence), kinds: [.csv, .pdf],
                accounts: accounts, months: 1, agent: agent, createdAt: created, handledUntil: created)
        }
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let table = ScheduleListCommand.table(
            of: [
                try schedule("0a1b2c3d", "monthly 3 08:00 Europe/Berlin", accounts: [], agent: .standard),
                try schedule(
                    "4e5f6071", "weekly thursday 08:00 Asia/Kolkata",
                    accounts: [try #require(AccountAlias("Savings")), try #require(AccountAlias("Everyday account"))],
                    agent: try #require(AgentName("books"))),
            ], at: created.date, in: berlin)
        let lines = table.lines(width: 80).map(\.text)
        #expect(lines[0].wholeMatch(of: /ID +BANK +WHEN +NEXT +WHAT/) != nil, "\(lines)")
        #expect(
            lines[1].wholeMatch(of: /0a1b2c3d  default  monthly 3 08:00 +in 7 days  csv, pdf; 1 month/) != nil,
            "\(lines)")
        #expect(lines[2].contains("weekly thursday 08:00 Asia") && lines[2].contains("in 14 h"), "\(lines)")
        #expect(lines.allSatisfy { $0.count <= 80 } && lines.joined(separator: " ").contains("for books"), "\(lines)")
    }
}
