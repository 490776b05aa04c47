import ArgumentParser
import Foundation
import MockBank
import Terminal

struct MockBankCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mockbank", abstract: "Run the bundled mock bank.",
        subcommands: [MockBankServeCommand.self, MockBankFinTSCommand.self])
}

struct MockBankServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve Meridian Savings on this machine until Ctrl-C.")

    @Option(help: "The port; 0 for a free one.")
    var port = 0

    @Option(help: ArgumentHelp("The bank's behaviour; --list shows the scenarios.", valueName: "name"))
    var scenario = Scenario.happy.rawValue

    @Flag(help: "List the scenarios and exit.")
    var list = false

    @Flag(help: "Serve over TLS, with a new certificate for this run.")
    var tls = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port goes from 0 to 65535") }
    }

    func run() async throws {
        if list { return listScenarios() }
        guard let chosen = Scenario(rawValue: scenario) else {
            throw CommandFailure("unknown scenario “\(scenario)”; --list shows them all", status: 2)
        }
        guard tls || !chosen.needsTLS else { throw CommandFailure("\(scenario) needs --tls", status: 2) }
        var configuration = MockBankConfiguration()
        configuration.port = port
        configuration.usesTLS = tls
        configuration.scenario = chosen
        let bank: MockBankServer
        do {
            bank = try await MockBankServer.start(configuration)
        } catch let error as MockBankError {
            throw CommandFailure(error.message)
        }
        let authority = try authorityFile(of: bank)
        defer { if let authority { try? FileManager.default.removeItem(at: authority) } }
        let console = Console.standard
        console.line("Meridian Savings is open at \(bank.url)", .bold)
        if chosen != .happy { console.line("  scenario  \(chosen.rawValue): \(chosen.summary)") }
        if chosen.isInterface, !chosen.isSimpleFIN {
            console.line("  token     \(configuration.token)")
        } else {
            console.line("  username  \(configuration.username)")
            console.line("  password  \(configuration.password)")
            console.line("  code      \(configuration.oneTimeCode)")
        }
        if let authority { console.line("  authority \(authority.path)   (for --ca)") }
        console.line("Press Ctrl-C to stop it.")
        await StopSignal.wait()
        await bank.stop()
    }

    private func listScenarios() {
        let width = Scenario.allCases.map(\.rawValue.count).max() ?? 0
        for scenario in Scenario.allCases {
            let padding = String(repeating: " ", count: width - scenario.rawValue.count)
            Console.standard.line("\(scenario.rawValue)\(padding)  \(scenario.summary)")
        }
    }

    private func authorityFile(of bank: MockBankServer) throws -> URL? {
        guard let pem = bank.authorityPEM else { return nil }
        let file = FileManager.default.temporaryDirectory.appending(path: "mockbank-\(UUID().uuidString).pem")
        try Data(pem.utf8).write(to: file)
        return file
    }
}
