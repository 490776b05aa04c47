import ArgumentParser
import Broker
import Foundation
import JSON
import Phone
import Terminal

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the household on this machine, and whether its parts run.",
        discussion: "Exit status: 0 all parts run, 1 a part does not run, or no household is set up.")

    @Flag(help: "Print JSON.")
    var json = false

    private struct Line {
        var name: String
        var isGood: Bool
        var text: String
    }

    func run() async throws {
        try await reportingFailures {
            let place = HouseholdFile.place()
            guard let household = try HouseholdFile.read(place) else {
                throw CommandFailure("no household is set up on this machine; make one with: countersign up")
            }
            let members = RunningHousehold(dataFolder: HouseholdFile.dataFolder()).members.map(\.name)
            let lines = try await self.lines(household, members)
            show(lines, household, place)
            guard lines.allSatisfy(\.isGood) else { throw ExitCode(1) }
        }
    }

    private func lines(_ household: HouseholdFile, _ running: [String]) async throws -> [Line] {
        var lines: [Line] = []
        if let bank = household.mockBank {
            let runs = running.contains("bank")
            lines.append(Line(name: "bank", isGood: runs, text: runs ? "the mock bank, \(bank)" : "stopped"))
        } else {
            lines.append(Line(name: "bank", isGood: true, text: household.bankID))
        }
        let environment = try HouseholdFile.completing([:], with: household)
        let broker = try? BrokerAdministration(environment: environment)
        let brokerRuns = broker?.isRunning == true
        lines.append(
            Line(name: "broker", isGood: brokerRuns, text: brokerRuns ? household.brokerAddress : "stopped"))
        let devices = try await broker?.devices.devices() ?? []
        let isPaired = PhoneHome(household.phoneHome).vault.exists && !devices.isEmpty
        lines.append(
            Line(
                name: "phone", isGood: isPaired,
                text: isPaired
                    ? "paired as \(devices.map(\.name).joined(separator: ", "))" : "not set up; run countersign up"))
        let pageRuns = running.contains("page")
        lines.append(
            Line(
                name: "page", isGood: pageRuns,
                text: pageRuns ? household.pageOrigin : "stopped; start it with countersign up"))
        lines.append(
            Line(
                name: "inbox", isGood: FileManager.default.isWritableFile(atPath: household.inbox.path),
                text: household.inbox.path))
        return lines
    }

    private func show(_ lines: [Line], _ household: HouseholdFile, _ place: URL) {
        guard !json else {
            let parts = lines.map { line -> JSONValue in
                ["name": .string(line.name), "ok": .bool(line.isGood), "text": .string(line.text)]
            }
            let all: JSONValue = ["config": .string(place.path), "parts": .array(parts)]
            return Console.standard.line(all.compactText())
        }
        for line in lines {
            let padding = String(repeating: " ", count: 8 - line.name.count)
            Console.standard.line(
                "\(line.isGood ? "✓" : "✗") \(line.name)\(padding)\(line.text)", line.isGood ? .plain : .bad)
        }
        Console.standard.line("  config  \(place.path)", .faint)
    }
}
