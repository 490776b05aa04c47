import Foundation
import Measuring

/// A household of `countersign up` with the mock bank, in a home of its own.
final class RunningHousehold {
    let program: URL
    let home: URL
    let readyAfter: Duration
    /// The page's address with the code that opens it once.
    let page: String
    private let process = Process()

    init(_ program: URL) throws {
        self.program = program
        home = FileManager.default.temporaryDirectory.appending(
            path: "household-speed-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        process.executableURL = program
        process.arguments = ["up", "--bank", "mock", "--no-open"]
        process.environment = Environment.bare(home: home)
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        let begin = ContinuousClock.now
        try process.run()
        var lines = LineReader(output.fileHandleForReading)
        var address = ""
        while let line = lines.next(), !line.hasPrefix("Ready") {
            if let range = line.firstRange(of: "page is open at ") { address = String(line[range.upperBound...]) }
        }
        readyAfter = .now - begin
        guard !address.isEmpty else {
            process.interrupt()
            throw HouseholdProblem("countersign up did not open the approval page")
        }
        page = address
    }

    /// The passphrase that `up` made for this trial.
    var passphrase: URL { home.appending(path: ".local/share/countersign/passphrase") }

    func stop() {
        process.interrupt()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: home)
    }
}

/// The reason why nothing could be measured. It is thrown, so that the household is stopped.
struct HouseholdProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
