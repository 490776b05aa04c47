import BrokerClient
import Foundation
import KeyVault
import Messages
import MockBank
import Phone
import PhoneStore
import Secrets
import Synchronization
import TestServers

/// Cuts the connection to a bank at each message of a visit: before the bank has the message, or before its answer is back.
/// Some banks speak FinTS, and some have pages. Some refuse the password.
///
/// A bank may hear a wrong password once, until the owner has confirmed another try. With a right one, the statement has to come
/// with the next try.
struct DialogCuts {
    let extent: Extent

    private enum Door: CaseIterable { case fints, pages }

    /// One place of a cut.
    private struct Place {
        let door: Door
        let isRefused: Bool
        let call: Int
        let cut: CuttingRelay.Cut
        /// The messages after it pass: a network that is back at once.
        let isAlone: Bool

        var words: String {
            "\(door)\(isRefused ? ", wrong password" : ""), message \(call), \(cut)\(isAlone ? ", alone" : "")"
        }
    }

    /// A bank with the number of its messages and of the passwords in them.
    private struct Bank {
        let port: Int
        let messages: @Sendable () -> Int
        let passwords: @Sendable () -> Int
        let stop: @Sendable () async -> Void
    }

    func run() async throws -> Tally {
        try await Stage.withPhone { stage, _ in
            let broker = try stage.quickBroker(stability: 40)
            try await stage.answers(broker)
            try Data(Self.yaml.utf8).write(to: Self.script(stage))
            var row = Tally()
            let all = try await everyPlace(stage)
            let places = extent.isFull ? all : all.shuffled()
            var (held, passed) = (0, 0)
            for place in places where row.tried == 0 || !extent.isOver {
                let faults = row.lost + row.doubled
                let round = try await round(place, stage, &row)
                row.tried += 1
                if round.wasHeld { held += 1 }
                if round.passed { passed += 1 }
                if row.lost + row.doubled == faults { row.survived += 1 }
            }
            await broker.stopped()
            row.add(try await Books(stage: stage).checkAll(withPhone: true))
            row.seen =
                "\(places.count) places; \(held) times on hold until the owner confirmed, \(passed) visits passed the cut"
            return row
        }
    }

    /// Returns every place, from visits that are not cut.
    private func everyPlace(_ stage: Stage) async throws -> [Place] {
        var places: [Place] = []
        for door in Door.allCases {
            for isRefused in [false, true] {
                let bank = try await Self.bank(door, isRefused)
                let phone = try await phone(door, at: bank.port, stage)
                let request = try await ask(stage, phone)
                guard isRefused || request.status == .completed else {
                    throw Impatience(
                        description: "a whole visit of \(door) ends as \(request.status) \(request.errorMessage ?? "")")
                }
                await phone.killed()
                for call in 1...max(1, bank.messages()) {
                    for cut in CuttingRelay.Cut.allCases {
                        for isAlone in [false, true] {
                            places.append(
                                Place(door: door, isRefused: isRefused, call: call, cut: cut, isAlone: isAlone))
                        }
                    }
                }
                await bank.stop()
            }
        }
        return places
    }

    private func round(
        _ place: Place, _ stage: Stage, _ row: inout Tally
    ) async throws -> (wasHeld: Bool, passed: Bool) {
        let bank = try await Self.bank(place.door, place.isRefused)
        let (relay, port) = try CuttingRelay.tcp(to: bank.port)
        let phone = try await phone(place.door, at: port, stage)
        relay.cut(place.cut, atCall: place.call, isAlone: place.isAlone)
        let first = try await ask(stage, phone)
        let wasCut = relay.mend()
        if !wasCut { row.fault("\(place.words): no message was cut, though a whole visit has so many") }
        check(first, place, &row)

        let second = try await stage.ask()
        var hasEnded = false
        let answered = await eventually(within: .seconds(60)) {
            hasEnded = (try? await stage.agent.request(second).status.isTerminal) == true
            return hasEnded || phone.lines.contains { $0.hasPrefix("undecided \(second)") }
        }
        guard answered else { throw Impatience(description: "\(place.words): no answer, \(phone.lines.suffix(3))") }
        if place.isRefused {
            let sent = bank.passwords()
            if sent > 1 { row.double("\(place.words): the bank heard a wrong password \(sent) times") }
            // Ends the request, for the next round.
            try Data().write(to: Self.consent(stage))
            try await stage.end(of: second)
        } else {
            try Data().write(to: Self.consent(stage))
            try await stage.end(of: second)
            let last = try await stage.agent.request(second)
            check(last, place, &row)
            if last.status != .completed {
                row.lose("\(place.words): afterwards \(last.status) \(last.errorMessage ?? "")")
            }
        }
        await phone.killed()
        relay.stop()
        await bank.stop()
        return (!hasEnded, first.status == .completed)
    }

    private func check(_ request: AgentRequest, _ place: Place, _ row: inout Tally) {
        guard request.status == .completed else { return }
        let month = Stage.period
        let wanted = Data(MockBankServer.statement(month: month.month, year: month.year))
        if request.filePath.flatMap(FileManager.default.contents(atPath:)) != wanted {
            row.lose("\(place.words): the file is not the bank's")
        }
    }

    private func ask(_ stage: Stage, _ phone: Child) async throws -> AgentRequest {
        let id = try await stage.ask()
        try await stage.end(of: id)
        return try await stage.agent.request(id)
    }

    // MARK: Parties

    private static func bank(_ door: Door, _ isRefused: Bool) async throws -> Bank {
        switch door {
        case .fints:
            var configuration = FinTSBankConfiguration()
            configuration.tan = MockBankConfiguration().oneTimeCode
            configuration.scenario = isRefused ? .wrongPIN : .happy
            let server = try await FinTSBankServer.start(configuration)
            return Bank(
                port: try port(of: server.url), messages: { server.bank.record.messages },
                passwords: { server.bank.record.withPIN }, stop: { await server.stop() })
        case .pages:
            let heard = RequestLog()
            var configuration = MockBankConfiguration()
            configuration.scenario = isRefused ? .wrongPassword : .happy
            configuration.onRequest = { heard.note($0, $1) }
            let server = try await MockBankServer.start(configuration)
            return Bank(
                port: try port(of: server.url), messages: { heard.requests.count },
                passwords: { heard.requests.count { $0 == "POST /login" } }, stop: { await server.stop() })
        }
    }

    private static func port(of url: String) throws -> Int {
        guard let port = URL(string: url)?.port else { throw Impatience(description: "no port in \(url)") }
        return port
    }

    /// Starts a phone with credentials that no hold is about.
    private func phone(_ door: Door, at port: Int, _ stage: Stage) async throws -> Child {
        try? FileManager.default.removeItem(at: Self.consent(stage))
        let secrets = try await PassphraseVerification(Secret(Stage.passphrase)).open(stage.home.vault, reason: "Store")
        let (pages, fints) = (MockBankConfiguration(), FinTSBankConfiguration())
        let credentials =
            switch door {
            case .fints: ["username": fints.user, "password": fints.pin]
            case .pages: ["username": pages.username, "password": pages.password]
            }
        let vault = CredentialVault(secrets, store: try PhoneDatabase(stage.home))
        try await vault.removeAll(forBank: "default")
        try await vault.set(credentials.mapValues { Secret($0) }, forBank: "default")
        secrets.close()
        let script = door == .fints ? Self.script(stage).path : nil
        let phone = try stage.phone(
            bank: "http://localhost:\(port)", script: script,
            flags: ["--apart", "--consent", Self.consent(stage).path])
        guard await eventually(within: .seconds(60), { phone.lines.contains("ready") }) else {
            throw Impatience(description: "the phone does not start: \(phone.lines.suffix(3))")
        }
        return phone
    }

    private static func consent(_ stage: Stage) -> URL { stage.root.appending(path: "consent") }
    private static func script(_ stage: Stage) -> URL { stage.root.appending(path: "fints.yaml") }

    private static let yaml = """
        bank: default
        name: Musterbank
        source: fints
        at: http://localhost:1/fints
        bank code: "12345678"
        fetch: [pdf]
        testing: true

        """
}

/// The requests that a bank has had.
private final class RequestLog: Sendable {
    private let lines = Mutex<[String]>([])

    var requests: [String] { lines.withLock(\.self) }

    func note(_ method: String, _ path: String) { lines.withLock { $0.append("\(method) \(path)") } }
}
