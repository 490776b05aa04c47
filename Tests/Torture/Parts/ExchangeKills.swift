import Foundation
import KeyVault
import MockBank
import Phone
import PhoneStore
import Secrets
import Synchronization

/// `kill -9` on a phone while it exchanges one credential for another. What a bank answers once, and a dead phone could not keep, is
/// gone, and has to be named with the way out. Nothing else may be lost: neither what was kept before, nor what the bank has not
/// seen yet.
struct ExchangeKills {
    let extent: Extent

    private enum Kind: CaseIterable {
        /// A setup token that is claimed once.
        case claim
        /// A code of OAuth 2.0 that becomes a token, where nothing was kept, and where an older token was.
        case code, secondCode
        /// A refresh token that is rotated.
        case refresh
        /// A session at an interface of its own kind.
        case session

        var bank: String {
            switch self {
            case .claim: "simplefin"
            case .code, .secondCode, .refresh: "monzo"
            case .session: "enable-banking"
            }
        }

        var scenario: Scenario {
            switch self {
            case .claim: .simplefin
            case .code, .secondCode, .refresh: .monzo
            case .session: .enableBanking
            }
        }

        /// The request whose answer the bank gives once.
        var decisive: String {
            switch self {
            case .claim: "POST /simplefin/claim"
            case .code, .secondCode, .refresh: "POST /oauth2/token"
            case .session: "POST /sessions"
            }
        }

        var connects: Bool { self == .code || self == .secondCode || self == .session }
        /// The seconds by which the clock of a phone that fetches is ahead: a token of the fake is renewed after six hours, and a
        /// provider that allows a number of requests a day allows them anew for each try.
        func ahead(in round: Int) -> Int {
            switch self {
            case .refresh: 22_000
            case .claim: round * 90_000
            case .code, .secondCode, .session: 0
            }
        }
    }

    /// The requests that the fake has heard.
    private final class Heard: Sendable {
        private let lines = Mutex<[String]>([])

        func note(_ method: String, _ path: String) { lines.withLock { $0.append("\(method) \(path)") } }
        func forget() { lines.withLock { $0 = [] } }
        func count(_ start: String) -> Int { lines.withLock { $0.count { $0.hasPrefix(start) } } }
    }

    /// A phone and the fake of one kind's bank.
    private struct Scene {
        let kind: Kind
        let home: PhoneHome
        let bank: String
        let heard: Heard
        /// The number of this round, of those that did not kill in time, too.
        let round: Int

        /// Starts a phone that does one thing, and returns its last line.
        func whole(connecting connects: Bool) async throws -> (line: String, took: Duration) {
            let begun = Mutex<ContinuousClock.Instant?>(nil)
            let child = try start(connecting: connects) { line in
                if line == "begins" { begun.withLock { $0 = .now } }
            }
            guard await child.end() == 0, let last = child.lines.last else {
                throw Impatience(description: "the phone did not end well: \(child.lines.suffix(3))")
            }
            return (last, begun.withLock { $0.map { .now - $0 } } ?? .zero)
        }

        /// Starts a phone, and kills it a while after it has begun.
        ///
        /// - Returns: false for one that came to its end before.
        func killed(after moment: Duration) async throws -> Bool {
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let child = try start(connecting: kind.connects) { if $0 == "begins" { begin.yield() } }
            // A phone that ends before it has begun must not keep the rig waiting.
            let end = Task {
                await child.end()
                begin.finish()
            }
            for await _ in begun { break }
            try await Task.sleep(for: moment)
            await child.killed()
            await end.value
            return !child.lines.contains { ["connected", "fetched"].contains($0) || $0.hasPrefix("failed") }
        }

        private func start(connecting connects: Bool, _ onLine: @escaping @Sendable (String) -> Void) throws -> Child {
            try Child(
                Child.executable("torture"),
                ["exchange", "--home", home.folder.path, "--bank", bank, "--ready", kind.bank, "--ahead"]
                    + ["\(connects ? 0 : kind.ahead(in: round))"] + (connects ? ["--connects"] : []), onLine: onLine)
        }
    }

    func run() async throws -> Tally {
        try await Stage.withPhone { stage, _ in
            var row = Tally()
            var usual: [Kind: Duration] = [:]
            var (answersLost, secondYes) = (0, 0)
            var round = 0
            let kinds = Kind.allCases
            while row.tried < extent.count, !extent.isOver {
                let kind = kinds[row.tried % kinds.count]
                round += 1
                let faults = row.lost + row.doubled
                let heard = Heard()
                var configuration = MockBankConfiguration()
                configuration.scenario = kind.scenario
                configuration.onRequest = { heard.note($0, $1) }
                let server = try await MockBankServer.start(configuration)
                let scene = Scene(
                    kind: kind, home: stage.home, bank: server.url, heard: heard, round: round)
                try await forget(scene)
                if usual[kind] == nil {
                    // One whole exchange, at a bank of its own, says how long it takes here.
                    let server = try await MockBankServer.start(configuration)
                    let first = Scene(
                        kind: kind, home: stage.home, bank: server.url, heard: heard, round: round)
                    try await forget(first)
                    if kind == .refresh { _ = try await first.whole(connecting: true) }
                    usual[kind] = try await first.whole(connecting: kind.connects).took
                    await server.stop()
                    try await forget(scene)
                }
                if kind == .refresh || kind == .secondCode { try await ready(scene) }
                heard.forget()
                let moment = (usual[kind] ?? .milliseconds(200)) * Double.random(in: 0...1.1)
                guard try await scene.killed(after: moment) else {
                    await server.stop()
                    continue
                }
                row.tried += 1
                let outcome = try await scene.whole(connecting: false).line
                // Counted only now: the last request of a killed phone may reach the bank after its end. Of the kinds, a fetch
                // itself renews alone.
                let wasAsked = heard.count(kind.decisive) > (kind == .refresh ? 1 : 0)
                switch (outcome == "fetched", wasAsked) {
                case (true, _): break
                case (false, true):
                    answersLost += 1
                    try await recover(scene, after: outcome, &row)
                case (false, false):
                    // The bank has not been asked: what was kept before works, and what was given still counts.
                    if kind == .claim || kind == .refresh || kind == .secondCode {
                        row.lose("\(kind): the bank was not asked, and the phone says \(outcome)")
                    } else {
                        secondYes += 1
                        try await recover(scene, after: outcome, &row)
                    }
                }
                await server.stop()
                if row.lost + row.doubled == faults { row.survived += 1 }
            }
            row.seen =
                "\(answersLost) answers that a bank gives once were lost and named, \(secondYes) needed a second yes"
            return row
        }
    }

    /// The owner does what the phone says, and has their documents.
    private func recover(_ scene: Scene, after outcome: String, _ row: inout Tally) async throws {
        switch scene.kind {
        case .claim:
            // A claimed token cannot be claimed again, by its maker's rule.
            guard outcome.contains("an earlier try, which was interrupted"), outcome.contains("create a new one") else {
                return row.lose("claim: the loss is not named: \(outcome)")
            }
        case .code, .secondCode, .refresh, .session:
            guard outcome.hasPrefix("failed CONSENT_ENDED"), outcome.contains("phone banks connect") else {
                return row.lose("\(scene.kind): the loss is not named: \(outcome)")
            }
            let connected = try await scene.whole(connecting: true).line
            let again = try await scene.whole(connecting: false).line
            guard connected == "connected", again == "fetched" else {
                return row.lose("\(scene.kind): connected anew it says \(connected), then \(again)")
            }
        }
    }

    private func ready(_ scene: Scene) async throws {
        let line = try await scene.whole(connecting: true).line
        guard line == "connected" else { throw Impatience(description: "the bank cannot be connected: \(line)") }
    }

    /// Begins with the credentials that a person gives, and nothing else.
    private func forget(_ scene: Scene) async throws {
        let secrets = try await PassphraseVerification(Secret(Stage.passphrase)).open(
            scene.home.vault, reason: "Forget")
        let vault = CredentialVault(secrets, store: try PhoneDatabase(scene.home))
        // The first time, nothing is stored yet.
        if try await vault.banks().contains(where: { $0.bankID == scene.kind.bank }) {
            try await vault.removeAll(forBank: scene.kind.bank)
        }
        try await vault.set(credentials(scene), forBank: scene.kind.bank)
        secrets.close()
    }

    private func credentials(_ scene: Scene) -> [String: Secret] {
        switch scene.kind {
        case .claim: ["setup_token": Secret(MockBankServer.setupToken(at: scene.bank))]
        case .code, .secondCode, .refresh:
            [
                "client_id": Secret(MockBankServer.monzoClient.id),
                "client_secret": Secret(MockBankServer.monzoClient.secret),
            ]
        case .session:
            [
                "application_id": Secret(MockBankServer.enableBankingApplication.id),
                "private_key": Secret(MockBankServer.enableBankingApplication.key),
                "redirect_url": Secret(MockBankServer.enableBankingRedirect),
                "bank_name": Secret(MockBankServer.enableBankingBank.name),
                "country": Secret(MockBankServer.enableBankingBank.country),
            ]
        }
    }
}
