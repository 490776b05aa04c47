import Foundation
import KeyVault
import MockBank
import Phone
import PhoneStore
import Secrets

/// `kill -9` on a phone that signs in over FinTS with a wrong PIN, at random moments. Its owner approves each request, and
/// confirms no other try at a bank that is on hold. Whatever the phone could still write down, the bank may see the PIN once.
struct PINKills {
    let extent: Extent

    func run() async throws -> Tally {
        try await Stage.withPhone { stage, _ in
            let broker = try stage.quickBroker(stability: 40)
            try await stage.answers(broker)
            let file = stage.root.appending(path: "wrong-pin.yaml")
            try Data(Self.yaml.utf8).write(to: file)
            // One visit without a kill says how long it takes here.
            let whole = try await round(stage, file, killingWithin: nil)
            guard whole.sent == 1 else {
                var row = Tally(tried: 1)
                row.fault("a whole visit sent the PIN \(whole.sent) times: \(whole.said)")
                return row
            }
            var row = Tally()
            var seen = [0: 0, 1: 0]
            while row.tried < extent.count, seen[1] == 0 && row.tried < 10 || !extent.isOver {
                let sent = try await round(stage, file, killingWithin: whole.took * 1.2).sent
                row.tried += 1
                seen[sent, default: 0] += 1
                if sent > 1 { row.double("the PIN was sent \(sent) times") } else { row.survived += 1 }
            }
            await broker.stopped()
            if seen[1] == 0 { row.fault("the PIN was sent in no round, so nothing was tried") }
            row.seen = "the PIN was sent once in \(seen[1] ?? 0) rounds, and never in \(seen[0] ?? 0)"
            return row
        }
    }

    private static let yaml = """
        bank: default
        name: Musterbank
        source: fints
        at: http://localhost:1/fints
        bank code: "12345678"
        fetch: [pdf]
        testing: true

        """

    /// Three lives of one phone with one wrong PIN, of which the first may be cut short.
    ///
    /// - Returns: the messages with the PIN that the bank had, the time that the first life took for its visit, and the lines
    ///   of all lives.
    private func round(
        _ stage: Stage, _ file: URL, killingWithin longest: Duration?
    ) async throws -> (sent: Int, took: Duration, said: [String]) {
        try await storeNewPIN(stage)
        var configuration = FinTSBankConfiguration()
        configuration.scenario = .wrongPIN
        let bank = try await FinTSBankServer.start(configuration)
        // The file has the path.
        let origin = bank.url.replacing("/fints", with: "")
        var took = Duration.zero
        var said: [String] = []
        for life in 1...3 {
            _ = try await stage.ask()
            let phone = try stage.phone(bank: origin, script: file.path, isCautious: true)
            guard await eventually(within: .seconds(60), { phone.lines.contains("ready") }) else {
                throw Impatience(description: "the phone does not start: \(phone.lines.suffix(3))")
            }
            let began = ContinuousClock.now
            if life == 1, let longest {
                try await Task.sleep(for: longest * Double.random(in: 0...1))
            } else {
                // A visit that a kill ended has ended its request, so there may be none.
                _ = try await stage.ask()
                let hasAnswered = await eventually(within: .seconds(60)) {
                    phone.lines.contains { $0.hasPrefix("failed") || $0.hasPrefix("undecided") }
                }
                guard hasAnswered else {
                    throw Impatience(description: "the phone says nothing of a visit: \(phone.lines.suffix(3))")
                }
                took = life == 1 ? ContinuousClock.now - began : took
            }
            await phone.killed()
            said += phone.lines
        }
        let sent = bank.bank.record.withPIN
        await bank.stop()
        return (sent, took, said)
    }

    /// Stores other credentials than before, because a hold on the bank is about those.
    private func storeNewPIN(_ stage: Stage) async throws {
        let secrets = try await PassphraseVerification(Secret(Stage.passphrase)).open(stage.home.vault, reason: "Store")
        let pin = String(Int.random(in: 1_000_000...9_999_999))
        try await CredentialVault(secrets, store: try PhoneDatabase(stage.home)).set(
            ["username": Secret(FinTSBankConfiguration().user), "password": Secret(pin)], forBank: "default")
        secrets.close()
    }
}
