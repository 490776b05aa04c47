import ArgumentParser
import DeviceTrust
import Foundation
import HouseholdCommands
import Phone
import PhoneStore
import Secrets
import Terminal

struct PhoneSetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set this machine up as a phone: store the connection and the bank's credentials in a new vault.",
        discussion: """
            You are asked for everything that is not given. Without a terminal, give --passphrase-file and --credentials, \
            and the token and secret as PHONE_API_TOKEN and BROKER_PHONE_SHARED_SECRET.
            """)

    @OptionGroup var phone: PhoneOptions

    @Option(help: "The broker's address.")
    var broker: String?

    @OptionGroup var questions: PhoneQuestions

    @Option(
        name: .customLong("certificate"),
        help: ArgumentHelp(
            "The SHA-256 of the broker's own certificate, from countersign broker identity; it is pinned.",
            valueName: "fingerprint"))
    var certificate: CertificateFingerprint?

    @Flag(
        help: """
            Send the phone's token over plain HTTP also to a broker that cannot prove that it knows it, because it knows \
            only the specification. Any program at its port then gets the token. The phone's audit log tells of it.
            """)
    var trustUnprovenBroker = false

    func run() async throws {
        try await reportingFailures {
            if broker == nil, phone.vault.home.startCommand == "countersign up" {
                throw CommandFailure(
                    "this phone belongs to the household of countersign up, which knows its broker; to store other credentials "
                        + "run: countersign phone banks change BANK", status: 2)
            }
            var answers = try SetupAnswers(
                broker: broker, inbox: questions.inbox, environment: ProcessInfo.processInfo.environment)
            let bank = try questions.bankID(phone.scriptFolder)
            let login = try questions.credentials(ofBank: bank, phone.scriptFolder)
            let passphrase = try questions.passphrase(phone.vault)
            let setup = try await checked(&answers, bank, login)
            try await setup.apply(passphrase: passphrase)
            Console.standard.line("The phone is set up in \(phone.phoneHome.folder.path).")
            if trustUnprovenBroker {
                Console.standard.error(
                    "warning: while the broker is down, any program at its port gets the phone's token "
                        + "(--trust-unproven-broker); run setup again without it to end this")
            }
            if try phone.phoneHome.vault.slots().allSatisfy(\.isPassphrase) {
                let code = try await PhoneDatabase(phone.phoneHome).firstPasskeyCode()
                Console.standard.disclose(
                    "To add a passkey on the approval page within a day, give it this code: \(code.revealed())\n")
            }
            if let hold = try await PhoneDatabase(phone.phoneHome).hold(onBank: bank) {
                Console.standard.line(
                    "“\(bank)” stays on hold, because these are the same credentials as before: the bank "
                        + hold.words, .bad)
            }
            Console.standard.line("Next: countersign phone pending")
        }
    }

    /// Returns the setup once its checks pass. At a terminal, an answer that does not hold is asked for again, and the others
    /// are kept.
    private func checked(
        _ answers: inout SetupAnswers, _ bank: String, _ login: [String: Secret]
    ) async throws -> PhoneSetup {
        while true {
            var connection: PhoneConnection
            do {
                connection = try answers.connection()
                connection.trust = try await trust(connection.brokerURL)
                connection.trustsUnprovenBroker = trustUnprovenBroker
            } catch let error as PhoneError where Asking.isPossible {
                Console.standard.lines("✗ \(error)", .bad)
                try answers.correct(SetupCheck.Subject.allCases)
                continue
            }
            let setup = PhoneSetup(
                home: phone.phoneHome, connection: connection, bankID: bank, credentials: login)
            let checks = await setup.checks()
            for check in checks {
                let mark = check.result == .passed ? "✓" : check.result == .failed ? "✗" : "?"
                Console.standard.line("\(mark) \(check.subject.rawValue): \(check.message)")
            }
            let failed = checks.filter { !$0.isAcceptable }.map(\.subject)
            if failed.isEmpty { return setup }
            guard Asking.isPossible else {
                throw CommandFailure("nothing was written; fix the lines marked ✗ and run setup again")
            }
            Console.standard.line("Nothing is written yet, and your other answers are kept. Ctrl-C ends it.", .faint)
            try answers.correct(failed)
        }
    }

    /// Decides how to trust the broker. A certificate that no authority signed is trusted only if `--certificate` names it
    /// or the person says so.
    private func trust(_ broker: URL) async throws -> CertificateTrust {
        let seen: CertificateFingerprint
        switch try await BrokerCertificate.look(at: broker) {
        case .plain: return .authorities
        case .verified(let fingerprint):
            if certificate == nil { return .authorities }
            seen = fingerprint
        case .unverified(let fingerprint): seen = fingerprint
        }
        if let certificate {
            guard certificate == seen else {
                throw CommandFailure(
                    "the broker shows the certificate \(seen), not the one of --certificate; nothing was written")
            }
            return .pinned(seen)
        }
        Console.standard.line("No trusted authority signed the broker's certificate. Its SHA-256 is")
        Console.standard.line("  \(seen)")
        Console.standard.line(
            "Compare it with the output of this command on the broker's machine: countersign broker identity")
        guard Asking.isPossible else {
            throw CommandFailure(
                "to pin the certificate, give --certificate with the output of countersign broker identity", status: 2)
        }
        guard Asking.yes("Are they the same, and do you trust this certificate?") else {
            throw CommandFailure("the broker was not trusted; nothing was written")
        }
        return .pinned(seen)
    }
}

extension CertificateFingerprint: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
