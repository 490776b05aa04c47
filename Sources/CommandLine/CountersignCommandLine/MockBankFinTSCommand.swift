import ArgumentParser
import Foundation
import MockBank
import Terminal

struct MockBankFinTSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fints", abstract: "Serve Meridian Savings over FinTS 3.0 on this machine until Ctrl-C.",
        discussion: """
            For bank files with “source: fints”, and for any FinTS program with PIN and TAN. Over plain HTTP, unless --tls \
            is given.
            """)

    @OptionGroup var options: MockBankOptions

    func run() async throws {
        let console = Console.standard
        if options.list { return MockBankOptions.list(FinTSScenario.allCases.map { ($0.rawValue, $0.summary) }) }
        let chosen = try options.chosen(FinTSScenario.self)
        var configuration = FinTSBankConfiguration()
        configuration.port = options.port
        configuration.usesTLS = options.tls
        configuration.scenario = chosen
        let server: FinTSBankServer
        do {
            server = try await FinTSBankServer.start(configuration)
        } catch let error as MockBankError {
            throw CommandFailure(error.message)
        }
        let authority = try MockBankOptions.authorityFile(server.authorityPEM)
        defer { if let authority { try? FileManager.default.removeItem(at: authority) } }
        console.line("Meridian Savings speaks FinTS at \(server.url)", .bold)
        if chosen != .happy { console.line("  scenario   \(chosen.rawValue): \(chosen.summary)") }
        console.line("  bank code  \(configuration.bankCode)")
        console.line("  login      \(configuration.user)")
        console.line("  PIN        \(configuration.pin)")
        console.line("  TAN        \(configuration.tan)")
        if let authority { console.line("  authority  \(authority.path)   (for --ca)") }
        console.line("Press Ctrl-C to stop it.")
        await StopSignal.wait()
        await server.stop()
    }
}
