import ArgumentParser
import Encodings
import Foundation
import MockBank
import Terminal

/// The options that the servers of the mock bank have in common.
struct MockBankOptions: ParsableArguments {
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

    /// Returns the scenario of that name.
    ///
    /// - Throws: ``CommandFailure`` with status 2.
    func chosen<Named: RawRepresentable<String> & CaseIterable>(_ scenarios: Named.Type) throws -> Named {
        guard let chosen = Named(rawValue: scenario) else {
            let meant =
                nearest(to: scenario, among: Named.allCases.map(\.rawValue)).map { "did you mean \($0)? " } ?? ""
            throw CommandFailure("unknown scenario “\(scenario)”; \(meant)--list shows them all", status: 2)
        }
        return chosen
    }

    /// Prints a line for each scenario.
    static func list(_ scenarios: [(name: String, summary: String)]) {
        let width = scenarios.map(\.name.count).max() ?? 0
        for (name, summary) in scenarios {
            let padding = String(repeating: " ", count: width - name.count)
            Console.standard.line("\(name)\(padding)  \(summary)")
        }
    }

    /// Writes the authority of a server's certificate for `--ca`.
    ///
    /// - Returns: nil for a server without TLS.
    static func authorityFile(_ pem: String?) throws -> URL? {
        guard let pem else { return nil }
        let file = FileManager.default.temporaryDirectory.appending(path: "mockbank-\(UUID().uuidString).pem")
        try Data(pem.utf8).write(to: file)
        return file
    }
}
