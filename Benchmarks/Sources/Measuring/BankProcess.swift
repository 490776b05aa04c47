import Foundation

/// The mock bank, in its own process.
public final class BankProcess {
    public let url: String
    /// The file of the certificate authority; empty without TLS.
    public let authority: String
    private let process: Process

    public init(countersign: URL, scenario: String = "happy", usesTLS: Bool = true) throws {
        process = Process()
        process.executableURL = countersign
        process.arguments = ["script", "mockbank", "serve", "--scenario", scenario] + (usesTLS ? ["--tls"] : [])
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

    public func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
