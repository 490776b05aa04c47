import Foundation
import Measuring

/// The mock bank, in its own process.
final class BankProcess {
    let url: String
    /// The file of the certificate authority; empty without TLS.
    let authority: String
    private let process: Process

    init(countersign: URL, scenario: String = "happy", usesTLS: Bool = true) throws {
        process = Process()
        process.executableURL = countersign
        process.arguments = ["mockbank", "serve", "--scenario", scenario] + (usesTLS ? ["--tls"] : [])
        process.environment = Environment.bare
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var lines = LineReader(output.fileHandleForReading)
        func value(after mark: String) -> String {
            while let line = lines.next() {
                guard let range = line.firstRange(of: mark) else { continue }
                return String(line[range.upperBound...].prefix { $0 != " " })
            }
            fatalError("the mock bank did not say its\(mark)")
        }
        url = value(after: " open at ")
        authority = usesTLS ? value(after: " authority ") : ""
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
