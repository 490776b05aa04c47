import ArgumentParser
import Foundation
import JSON
import PhoneRunner
import Secrets

struct PhoneSetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Make this machine a phone: connection and bank credentials into a new vault.",
        discussion: """
            What is not given is asked for. Where nobody can type, give --passphrase-file and --credentials, and the \
            token and secret as PHONE_API_TOKEN and BROKER_PHONE_SHARED_SECRET.
            """)

    @OptionGroup var phone: PhoneOptions

    @Option(help: "The broker’s address.")
    var broker: String?

    @Option(help: "The synced folder that the broker reads.")
    var inbox: String?

    @Option(help: "A JSON file such as {\"username\": \"…\", \"password\": \"…\"}, - for standard input.")
    var credentials: String?

    @Option(help: "The bank’s id.")
    var bank = "default"

    func run() async throws {
        try await clearly {
            let environment = ProcessInfo.processInfo.environment
            let address = try broker ?? asked("The broker’s address (http://127.0.0.1:8765):", "--broker")
            let token = try secret(environment["PHONE_API_TOKEN"], "PHONE_API_TOKEN", "The phone’s token:")
            let shared = try secret(
                environment["BROKER_PHONE_SHARED_SECRET"], "BROKER_PHONE_SHARED_SECRET", "The shared secret:")
            let folder = try inbox ?? asked("The synced inbox folder:", "--inbox")
            let login = try bankCredentials()
            let passphrase = try phone.passphrase("A passphrase for the vault (at least 8 characters):")
            if phone.passphraseFile == nil, !phone.phoneHome.vault.exists {
                guard let again = Asking.secret("The same once more:"), again.isEqual(to: passphrase) else {
                    throw CommandFailure("the two passphrases differ; nothing was written")
                }
            }
            let path = URL(filePath: HomeOption.expanded(folder)).standardizedFileURL.path
            let setup = PhoneSetup(
                home: phone.phoneHome,
                connection: try PhoneConnection(brokerURL: address, token: token, sharedSecret: shared, inbox: path),
                bankID: bank, credentials: login)
            let checks = await setup.checks()
            for check in checks {
                let mark = check.result == .passed ? "✓" : check.result == .failed ? "✗" : "?"
                Console.standard.line("\(mark) \(check.subject.rawValue): \(check.message)")
            }
            guard checks.allSatisfy(\.isAcceptable) else {
                throw CommandFailure("nothing was written; mend what is marked ✗ and run setup again")
            }
            try await setup.apply(passphrase: passphrase)
            Console.standard.line("The phone is set up in \(phone.phoneHome.folder.path).")
            Console.standard.line("Next: countersign phone pending")
        }
    }

    private func asked(_ question: String, _ option: String) throws -> String {
        guard Asking.isPossible else { throw CommandFailure("\(option) is missing", status: 2) }
        guard let answer = Asking.line(question), !answer.isEmpty else { throw CommandFailure("no answer was given") }
        return answer
    }

    private func secret(_ given: String?, _ name: String, _ question: String) throws -> Secret {
        if let given, !given.isEmpty { return Secret(given) }
        guard Asking.isPossible else { throw CommandFailure("\(name) is not set", status: 2) }
        guard let typed = Asking.secret(question), !typed.isEmpty else { throw CommandFailure("no answer was given") }
        return typed
    }

    private func bankCredentials() throws -> [String: Secret] {
        if let credentials { return try CredentialsFile(path: credentials).all }
        guard Asking.isPossible else { throw CommandFailure("--credentials is missing", status: 2) }
        guard let username = Asking.secret("The bank’s username:"), let password = Asking.secret("The bank’s password:")
        else { throw CommandFailure("no answer was given") }
        return ["username": username, "password": password]
    }
}
