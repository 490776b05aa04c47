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

    @OptionGroup var options: MockBankOptions

    @Option(
        help: ArgumentHelp(
            "Write the private key of the application to this new file, as PEM; for the scenarios of Enable Banking.",
            valueName: "file"), completion: .file(extensions: ["pem"]))
    var key: String?

    func run() async throws {
        if options.list { return MockBankOptions.list(Scenario.allCases.map { ($0.rawValue, $0.summary) }) }
        let chosen = try options.chosen(Scenario.self)
        guard options.tls || !chosen.needsTLS else {
            throw CommandFailure("\(chosen.rawValue) needs --tls", status: 2)
        }
        if let key { try write(keyTo: key, chosen) }
        var configuration = MockBankConfiguration()
        configuration.port = options.port
        configuration.usesTLS = options.tls
        configuration.scenario = chosen
        configuration.countingClock = { Date() }
        let bank: MockBankServer
        do {
            bank = try await MockBankServer.start(configuration)
        } catch let error as MockBankError {
            throw CommandFailure(error.message)
        }
        let authority = try MockBankOptions.authorityFile(bank.authorityPEM)
        defer { if let authority { try? FileManager.default.removeItem(at: authority) } }
        let console = Console.standard
        console.line("Meridian Savings is open at \(bank.url)", .bold)
        if chosen != .happy { console.line("  scenario  \(chosen.rawValue): \(chosen.summary)") }
        if chosen.isEnableBanking {
            let application = MockBankServer.enableBankingApplication
            console.line("  application  \(application.id)")
            console.line("  redirect     \(MockBankServer.enableBankingRedirect), or a port of this machine")
            console.line("  bank         \(MockBankServer.enableBankingBank.name)")
            console.line("  country      \(MockBankServer.enableBankingBank.country)")
        } else if chosen.isInterface, !chosen.isSimpleFIN {
            console.line("  token     \(configuration.token)")
        } else {
            console.line("  username  \(configuration.username)")
            console.line("  password  \(configuration.password)")
            console.line("  code      \(configuration.oneTimeCode)")
        }
        if chosen.isInteractiveBrokers { console.line("  query     \(MockBankServer.flexQuery)") }
        if chosen.isMonzo {
            console.line("  client    \(MockBankServer.monzoClient.id)")
            console.line("  secret    \(MockBankServer.monzoClient.secret)")
        }
        if chosen.isSimpleFIN { console.line("  setup     \(MockBankServer.setupToken(at: bank.url))") }
        if let authority { console.line("  authority \(authority.path)   (for --ca)") }
        console.line("Press Ctrl-C to stop it.")
        await StopSignal.wait()
        await bank.stop()
    }

    /// Writes the key of an application that exists in this fake alone.
    private func write(keyTo path: String, _ scenario: Scenario) throws {
        guard scenario.isEnableBanking else {
            throw CommandFailure("--key is for the scenarios of Enable Banking; name one, or leave it out", status: 2)
        }
        let text = MockBankServer.enableBankingApplication.key + "\n"
        try FileManager.default.createFile(exclusively: path, Data(text.utf8))
    }
}
