import ArgumentParser
import Broker
import Encodings
import Foundation
import Phone
import PhoneStore
import ScriptCommands
import Terminal

package struct StatusCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the household on this machine, and whether its parts run.",
        discussion: """
            A broker on another machine is named and not asked: it has no mark, and in JSON its ok is null.

            Exit status: 0 all parts on this machine run, 1 a part does not run, or no household is set up.
            """)

    @Flag(help: "Print JSON.")
    var json = false

    private struct Line {
        var name: String
        /// Nil for a part on another machine, which is not asked.
        var isGood: Bool?
        var text: String
    }

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let place = HouseholdFile.place()
            guard let household = try HouseholdFile.read(place) else {
                throw CommandFailure("no household is set up on this machine; make one with: countersign up")
            }
            let members = RunningHousehold(dataFolder: HouseholdFile.dataFolder()).members
            let lines = try await self.lines(household, members)
            show(lines, household, place)
            guard !lines.contains(where: { $0.isGood == false }) else { throw ExitCode(1) }
        }
    }

    private func lines(_ household: HouseholdFile, _ members: [RunningHousehold.Member]) async throws -> [Line] {
        let running = members.map(\.name)
        var lines: [Line] = []
        var banks: Banks = ([], [], [], [:])
        if let phone = household.phone {
            banks = try await self.banks(phone)
            lines += bankLines(phone, running, banks)
        }
        var devices: [String] = []
        if let broker = household.broker {
            let environment = try HouseholdFile.completing([:], with: household)
            let administration = try? BrokerAdministration(environment: environment)
            let runs = administration?.isRunning == true
            let lacksPort = members.contains { $0.name == RunningHousehold.broker && $0.lacksPort }
            lines.append(Self.brokerLine(broker, runs: runs, lacksPort: lacksPort))
            devices = try await administration?.devices.devices().map(\.name) ?? []
        } else {
            let address = household.phone?.brokerAddress.map { ", \($0)" } ?? ""
            let place = household.isBrokerOnThisMachine ? "at an address of this machine" : "on another machine"
            lines.append(Line(name: "broker", isGood: nil, text: place + address))
        }
        lines += phoneLines(household, devices, running)
        if let phone = household.phone { lines += consentLines(phone, banks) }
        lines.append(
            Line(
                name: "inbox", isGood: Self.takesFiles(household.inbox), text: Self.place(household.inbox)))
        if let folder = household.broker?.statements {
            lines.append(
                Line(
                    name: "archive", isGood: Self.takesFiles(folder), text: Self.place(folder)))
        }
        return lines
    }

    /// - Parameter lacksPort: true when another program has the broker's port.
    private static func brokerLine(_ broker: HouseholdFile.Broker, runs: Bool, lacksPort: Bool) -> Line {
        guard runs else { return Line(name: "broker", isGood: false, text: "stopped") }
        let again = "start the household again"
        let (isGood, text) =
            switch (broker.socket, lacksPort) {
            case (let socket?, false) where socket.isThere:
                (true, "\(broker.endpoint), and for your programs on this machine its socket \(socket.file.path)")
            case (let socket?, true) where socket.isThere:
                (
                    true,
                    "its socket \(socket.file.path) alone, because another program has port \(broker.port); stop that "
                        + "program, and \(again)"
                )
            case (_, true):
                (false, "unreachable: another program has port \(broker.port); stop that program, and \(again)")
            case (_?, false):
                (
                    true,
                    "\(broker.endpoint), and not at its socket, which is not there; if its disk takes sockets, \(again)"
                )
            case (nil, false): (true, broker.endpoint)
            }
        return Line(name: "broker", isGood: isGood, text: text)
    }

    private static func takesFiles(_ folder: URL) -> Bool {
        FileManager.default.isWritableFile(atPath: folder.path) && DiskCheck.hasRoom(at: folder.path)
    }

    private static func place(_ folder: URL) -> String {
        guard FileManager.default.fileExists(atPath: folder.path) else {
            return "\(folder.path) is not there; is its disk mounted?"
        }
        guard DiskCheck.hasRoom(at: folder.path) else {
            return "\(folder.path) is on a disk that is full; make room on it"
        }
        return FileManager.default.isWritableFile(atPath: folder.path)
            ? folder.path
            : "\(folder.path) cannot be written; is its disk mounted for writing, and is the folder yours?"
    }

    /// Returns a line for the household's first bank, and one for each that was added.
    private func bankLines(_ phone: HouseholdFile.Phone, _ running: [String], _ banks: Banks) -> [Line] {
        func line(_ bank: String) -> Line {
            if let file = banks.unaccepted[bank] {
                return Line(
                    name: "bank", isGood: false,
                    text: "\(bank), whose script is not accepted; read it, then: countersign script accept \(file)")
            }
            let isMissing = banks.missing.contains(bank)
            return Line(name: "bank", isGood: !isMissing, text: isMissing ? "\(bank), \(Self.connecting(bank))" : bank)
        }
        var first = line(phone.bankID)
        if let mock = phone.mockBank {
            let runs = running.contains("bank")
            first = Line(name: "bank", isGood: runs, text: runs ? "the mock bank, \(mock)" : "stopped")
        }
        return [first] + banks.stored.filter { $0 != phone.bankID }.map(line)
    }

    /// - Parameter devices: the names of the phones that the broker of this machine knows.
    private func phoneLines(_ household: HouseholdFile, _ devices: [String], _ running: [String]) -> [Line] {
        let names = devices.joined(separator: ", ")
        guard let phone = household.phone else {
            let text = devices.isEmpty ? "none is paired yet; run countersign pair" : "on another machine, \(names)"
            return [Line(name: "phone", isGood: !devices.isEmpty, text: text)]
        }
        let isPaired = PhoneHome(phone.home).vault.exists && (household.broker == nil || !devices.isEmpty)
        let paired = household.broker == nil ? "paired" : "paired as \(names)"
        let isAway = !PhoneHome(phone.home).vault.exists && phone.absence != nil
        let missing =
            isAway
            ? "\(phone.home.path) has no vault; is its disk mounted?"
            : household.broker == nil
                ? "not paired; run countersign up --phone-only LINE, with the line from the broker's machine"
                : "not set up; run countersign up"
        let pageRuns = running.contains("page")
        return [
            Line(name: "phone", isGood: isPaired, text: isPaired ? paired : missing),
            Line(
                name: "page", isGood: pageRuns,
                text: pageRuns
                    ? "\(phone.pageOrigin), from your bookmark; another browser opens it with: countersign phone address"
                    : "stopped; start it with countersign up"),
        ]
    }

    /// The banks whose credentials are stored, the consents that are kept, the banks that answer only after the owner's yes
    /// and never got one, and the files of scripts that are not accepted as they are now, by their banks.
    private typealias Banks = (
        stored: [String], consents: [StoredConsent], missing: [String], unaccepted: [String: String]
    )

    private func banks(_ phone: HouseholdFile.Phone) async throws -> Banks {
        let home = PhoneHome(phone.home)
        guard home.vault.exists else { return ([], [], [], [:]) }
        let database = try PhoneDatabase(home)
        let stored = try await database.credentialTimes().keys.sorted()
        let consents = try await database.storedConsents()
        // A folder that is away is told by the commands that need it.
        guard let scripts = try? ScriptFolderOptions.registry(ofFolder: phone.scripts, home: phone.home) else {
            return (stored, consents, [], [:])
        }
        let given = Set(consents.map(\.bankID))
        let missing = stored.filter { bank in
            !given.contains(bank) && scripts.script(forBank: bank)?.exchange?.needsOwner == true
        }
        let unaccepted: [String: String] = stored.reduce(into: [:]) { files, bank in
            guard scripts.script(forBank: bank) == nil, let refusal = scripts.refusal(forBank: bank) else { return }
            files[bank] = refusal.digest == nil ? nil : refusal.file
        }
        return (stored, consents, missing, unaccepted)
    }

    private static func connecting(_ bank: String) -> String {
        "not connected yet; run countersign phone banks connect \(bank)"
    }

    /// Returns a line for each consent that is known, and for each bank but the first that waits for one. A consent that has
    /// ended is not good: nothing is fetched from its bank.
    private func consentLines(_ phone: HouseholdFile.Phone, _ banks: Banks) -> [Line] {
        let now = Date()
        let waiting = banks.missing.filter { $0 != phone.bankID }.map {
            Line(name: "consent", isGood: false, text: "\($0) is \(Self.connecting($0))")
        }
        let known: [Line] = banks.consents.compactMap { consent in
            guard
                let text = consent.offer(at: now, bankName: consent.bankID)
                    ?? consent.state(at: now).map({ "at \(consent.bankID) \($0)" })
            else { return nil }
            return Line(name: "consent", isGood: consent.stage(at: now) != .ended, text: text)
        }
        return waiting + known
    }

    private func show(_ lines: [Line], _ household: HouseholdFile, _ place: URL) {
        guard !json else {
            let parts = lines.map { line -> JSONValue in
                [
                    "name": .string(line.name), "ok": line.isGood.map(JSONValue.bool) ?? .null,
                    "text": .string(line.text),
                ]
            }
            let all: JSONValue = ["config": .string(place.path), "parts": .array(parts)]
            return Console.standard.line(all.compactText())
        }
        for line in lines {
            let padding = String(repeating: " ", count: 8 - line.name.count)
            let mark = line.isGood.map { $0 ? "✓" : "✗" } ?? " "
            Console.standard.line("\(mark) \(line.name)\(padding)\(line.text)", line.isGood == false ? .bad : .plain)
        }
        Console.standard.line("  config  \(place.path)", .faint)
    }
}
