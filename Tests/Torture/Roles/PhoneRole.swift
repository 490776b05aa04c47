import ArgumentParser
import Automation
import BankScript
import DefaultBank
import FinTS
import Foundation
import HTMLAutomation
import KeyVault
import Machine
import MockBank
import Phone
import Secrets

/// A phone whose owner answers every request at once, for as long as the process runs.
struct PhoneRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "phone", shouldDisplay: false)

    @Option var home: String
    @Option var bank: String

    @Option(help: "A bank script in YAML; without it, the one that ships.")
    var script: String?

    @Option(help: "Of so many requests one is denied; 0 for none.")
    var denying: Int

    @Flag(help: "Confirm no other try at a bank that is on hold.")
    var cautious = false

    @Option(help: "Confirm another try at a bank that is on hold only while this file is there.")
    var consent: String?

    @Flag(help: "Visit banks in processes of the program beside this one, as a household's phone does.")
    var apart = false

    @Option(help: "The milliseconds that the owner needs to type a code.")
    var typing = 0

    @Option(help: "The broker's socket, which is used in the place of its address.")
    var socket: String?

    func run() async throws {
        let home = PhoneHome(URL(filePath: home), scrypt: .cheapForTests)
        let owner = PassphraseVerification(Secret(Stage.passphrase))
        let vault = try await owner.open(home.vault, reason: "Connect to the broker")
        let connection = try await PhoneConnection(from: vault)
        vault.close()
        let own = try script.map { try BankScript(yaml: String(contentsOfFile: $0, encoding: .utf8), file: $0) }
        let script = (own ?? MeridianSavings.script).served(at: bank, isForTesting: true)
        var services = PhoneServices(
            scripts: ScriptRegistry([script]), person: OwnerWithCode(typing: .milliseconds(typing)),
            servesTestBank: true
        ) { try HTMLNavigationEngine(for: $0) }
        services.sources = [.fints: FinTSSource()]
        if apart { services.visits = VisitProgram([Child.executable("countersign").path, VisitProgram.name]) }
        if let socket {
            services.brokerSockets = [connection.brokerURL.absoluteString: ServedSocket(URL(filePath: socket))]
        }
        let runner = try PhoneRunner(home: home, connection: connection, services: services)
        // The broker may be down at the moment.
        await patiently("recover") { try await runner.recover() }
        say("ready")
        while true {
            let review = try? await runner.refresh()
            for offer in runner.offers { await open(offer, runner) }
            guard let review, !review.pending.isEmpty else {
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            for request in review.pending { await answer(request, runner, owner) }
        }
    }

    /// Opens an offer. The next look at the broker shows its request.
    private func open(_ offer: WaitingOffer, _ runner: PhoneRunner) async {
        do { say("opened \(offer.id) as \(try await runner.open(offer.id))") } catch {
            say("not opened \(offer.id) \(error)")
        }
    }

    private func answer(_ request: PendingRequest, _ runner: PhoneRunner, _ owner: PassphraseVerification) async {
        do {
            if denying > 0, Int.random(in: 0..<denying) == 0 {
                try await runner.deny(request.id)
                say("denied \(request.id)")
                return
            }
            // A kill during a sign-in puts the bank on hold, and an owner who is not cautious confirms another try.
            switch try await runner.approve(request, with: owner, tryingAgain: confirmsAnotherTry) {
            case .completed: say("completed \(request.id)")
            case .failed(let code, let message): say("failed \(request.id) \(code) \(message)")
            case .delivered(let count, let all): say("completed \(request.id) \(count) of \(all)")
            case .waiting(let approvals, let needed): say("waiting \(request.id) \(approvals) of \(needed)")
            }
        } catch {
            say("undecided \(request.id) \(error)")
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    private var confirmsAnotherTry: Bool {
        if let consent { FileManager.default.fileExists(atPath: consent) } else { !cautious }
    }

    private func patiently(_ name: String, _ body: () async throws -> Void) async {
        while true {
            do { return try await body() } catch {
                say("\(name): \(error)")
                try? await Task.sleep(for: .milliseconds(30))
            }
        }
    }
}

private struct OwnerWithCode: HumanPrompt {
    let typing: Duration

    func answer(_ prompt: Prompt) async throws -> Secret {
        say("asked")
        try await Task.sleep(for: typing)
        return Secret(MockBankConfiguration().oneTimeCode)
    }
}
