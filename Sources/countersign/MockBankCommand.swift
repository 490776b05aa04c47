import ArgumentParser
import Foundation
import MockBank
import UnixSignals

struct MockBankCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mockbank", abstract: "Run the bundled mock bank.", subcommands: [MockBankServeCommand.self])
}

struct MockBankServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve Meridian Savings on this machine until Ctrl-C.")

    @Option(help: "The port, 0 for a free one.")
    var port = 0

    @Flag(help: "Serve over TLS, with a certificate made for this run.")
    var tls = false

    func run() async throws {
        var configuration = MockBankConfiguration()
        configuration.port = port
        configuration.usesTLS = tls
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
        console.line("  username  \(configuration.username)")
        console.line("  password  \(configuration.password)")
        console.line("  code      \(configuration.oneTimeCode)")
        if let authority { console.line("  authority \(authority.path)   (give it to --ca)") }
        console.line("Press Ctrl-C to close it.")
        await Interruption.wait()
        await bank.stop()
    }

    private func authorityFile(of bank: MockBankServer) throws -> URL? {
        guard let pem = bank.authorityPEM else { return nil }
        let file = FileManager.default.temporaryDirectory.appending(path: "mockbank-\(UUID().uuidString).pem")
        try Data(pem.utf8).write(to: file)
        return file
    }
}

/// Ctrl-C, or SIGTERM.
enum Interruption {
    static func wait() async {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        for await _ in signals { return }
    }
}
