import ArgumentParser
import Automation
import BankScript
import Clocks
import CurlClient
import Foundation
import HTMLAutomation
import KeyVault
import Phone
import ReadyBanks
import Secrets

/// A phone that connects a bank, or fetches from it with what it has kept, and ends.
struct ExchangeRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "exchange", shouldDisplay: false)

    @Option var home: String
    @Option var bank: String

    @Option(help: "The id of the ready bank.")
    var ready: String

    @Option(help: "The seconds by which the phone's clock is ahead.")
    var ahead: Double = 0

    @Flag(help: "Connect the bank instead of fetching from it.")
    var connects = false

    func run() async throws {
        let home = PhoneHome(URL(filePath: home), scrypt: .cheapForTests)
        let secrets = try await PassphraseVerification(Secret(Stage.passphrase)).open(home.vault, reason: "Exchange")
        guard let ready = ReadyBank.all.first(where: { $0.id == ready }) else {
            throw Impatience(description: "no ready bank \(ready)")
        }
        let own = try ready.script()
        let script = own.served(at: Array(repeating: bank, count: own.origins.count), isForTesting: true)
        let services = PhoneServices(
            scripts: ScriptRegistry([script]), person: SilentOwner(), clock: ClockAhead(seconds: ahead),
            servesTestBank: true
        ) { try HTMLNavigationEngine(for: $0) }
        let connection = BankConnection(home: home, secrets: secrets, services: services)
        say("begins")
        do {
            if connects {
                _ = try await connection.connect(script, with: FollowingBrowser(bank: bank))
                say("connected")
            } else {
                let month = Stage.period
                let document = try await connection.fetch(
                    script, parameters: ["month": ParameterValue(month.month), "year": ParameterValue(month.year)])
                try? FileManager.default.removeItem(at: document.file)
                say("fetched")
            }
        } catch let failure as RunFailure {
            say("failed \(failure.code.rawValue): \(failure.message)")
        }
    }
}

/// The owner's browser, in which the fake's page says yes by itself.
private struct FollowingBrowser: OwnersBrowser {
    let bank: String

    func redirect(_ wanted: String?) async throws -> String { wanted ?? "http://127.0.0.1:17265/" }

    func visit(_ page: OwnersPage) async throws -> Secret {
        let query = page.address.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        let session = CurlSession()
        let answer = try await session.send(HTTPRequest("GET", "\(bank)/?\(query)"))
        await session.close()
        guard let place = answer.header("location"), let mark = place.firstIndex(of: "?") else {
            throw Impatience(description: "the fake's page answered \(answer.status)")
        }
        return Secret(String(place[place.index(after: mark)...]))
    }

    func show(_ code: OwnersCode) async throws {}
}

private struct SilentOwner: HumanPrompt {
    func answer(_ prompt: Prompt) async throws -> Secret { throw CancellationError() }
}

private struct ClockAhead: RunClock {
    let seconds: Double

    var now: Date { Date().addingTimeInterval(seconds) }

    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
