import ArgumentParser
import Foundation
import Secrets

@main
struct Countersign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign",
        abstract: "Bank statements, fetched only with your say-so.",
        discussion: """
            An agent asks a broker for a statement; the broker signs the request; the phone, the one place that holds \
            bank credentials, verifies it and shows it; you approve; only then the phone runs the bank's script.

            Begin with `countersign demo`, which takes one request the whole way on this machine.
            """,
        version: "0.1.0",
        subcommands: [
            DemoCommand.self, RequestCommand.self, RequestsCommand.self, MCPCommand.self, BrokerCommand.self,
            PairCommand.self, DevicesCommand.self, PolicyCommand.self, PhoneCommand.self, TotpCommand.self,
            ScriptCommand.self, MockBankCommand.self,
        ])

    /// Runs the command. Exit statuses: 0 success, 1 failure, 2 a wrong command line, 3 an invalid script.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            Console.standard.error(failure.message)
            exit(withStatus: failure.status)
        } catch {
            let status = exitCode(for: error)
            guard status == .success || status == .validationFailure || error is ExitCode else {
                Console.standard.error(Redactor.redact("\(error)"))
                exit(withStatus: 1)
            }
            let message = fullMessage(for: error)
            if status == .success {
                if !message.isEmpty { print(message) }
            } else if !message.isEmpty {
                try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
            }
            exit(withStatus: status == .validationFailure ? 2 : status.rawValue)
        }
    }

    private static func exit(withStatus status: Int32) -> Never {
        fflush(nil)
        Foundation.exit(status)
    }
}
