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

    @Option(help: "The port; 0 for a free one.")
    var port = 0

    @Option(help: ArgumentHelp("The bank's behaviour; --list shows the scenarios.", valueName: "name"))
    var scenario = FinTSScenario.happy.rawValue

    @Flag(help: "List the scenarios and exit.")
    var list = false

    @Flag(help: "Serve over TLS, with a new certificate for this run.")
    var tls = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port goes from 0 to 65535") }
    }

    func run() async throws {
        let console = Console.standard
        if list {
            let width = FinTSScenario.allCases.map(\.rawValue.count).max() ?? 0
            for scenario in FinTSScenario.allCases {
                let padding = String(repeating: " ", count: width - scenario.rawValue.count)
                console.line("\(scenario.rawValue)\(padding)  \(scenario.summary)")
            }
            return
        }
        guard let chosen = FinTSScenario(rawValue: scenario) else {
            throw CommandFailure("unknown scenario “\(scenario)”; --list shows them all", status: 2)
        }
        var configuration = FinTSBankConfiguration()
        configuration.port = port
        configuration.usesTLS = tls
        configuration.scenario = chosen
        let server: FinTSBankServer
        do {
            server = try await FinTSBankServer.start(configuration)
        } catch let error as MockBankError {
            throw CommandFailure(error.message)
        }
        let authority = try authorityFile(of: server)
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

    private func authorityFile(of server: FinTSBankServer) throws -> URL? {
        guard let pem = server.authorityPEM else { return nil }
        let file = FileManager.default.temporaryDirectory.appending(path: "mockbank-\(UUID().uuidString).pem")
        try Data(pem.utf8).write(to: file)
        return file
    }
}
