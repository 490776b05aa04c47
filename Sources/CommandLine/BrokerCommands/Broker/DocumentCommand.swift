import Archive
import Broker
import Foundation
import Machine
import Terminal

/// The owner's program that is told of each document (`BROKER_ON_DOCUMENT`).
///
/// It gets no arguments, nothing on its standard input, and an environment that has only the document's facts: none of the
/// broker's tokens and secrets.
struct DocumentCommand: Sendable {
    /// The longest time for one document.
    static let limit: Duration = .seconds(60)

    private let program: URL
    private let limit: Duration

    /// - Throws: ``CommandFailure`` with status 2 when the path is not that of a program.
    init(_ path: String, limit: Duration = Self.limit) throws(CommandFailure) {
        let path = TypedPath.expanded(path)
        guard path.hasPrefix("/"), access(path, X_OK) == 0 else {
            throw CommandFailure(
                "BROKER_ON_DOCUMENT is \(path), which is not the full path of a program; a program needs chmod +x",
                status: 2)
        }
        program = URL(filePath: path)
        self.limit = limit
    }

    /// Runs the program to its end. One that takes too long is ended, with the processes that it started.
    ///
    /// - Throws: ``CommandFailure`` when it fails or takes too long.
    func run(_ document: AcceptedDocument, at file: URL) async throws {
        let environment = Self.environment(of: document, at: file)
        try await BlockingWork.run { [program, limit] in
            let running = try RunningProgram(
                [program.path], environment: environment, output: .dropped, leadsGroup: true, limit: limit)
            let how: String
            switch running.end() {
            case .exited(0): return
            case .exited(let status): how = "ended with status \(status)"
            case .killed(let signal):
                how = "was ended by signal \(signal); it has \(limit.components.seconds) seconds"
            }
            throw CommandFailure("BROKER_ON_DOCUMENT: \(program.path) \(how)")
        }
    }

    private static func environment(of document: AcceptedDocument, at file: URL) -> [String: String] {
        [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": NSHomeDirectory(),
            "COUNTERSIGN_DOCUMENT": file.path, "COUNTERSIGN_SHA256": document.sha256,
            "COUNTERSIGN_BANK": document.bankID, "COUNTERSIGN_REQUEST": document.requestID.description,
            "COUNTERSIGN_PERIOD": document.place.period.description, "COUNTERSIGN_KIND": document.place.kind.rawValue,
            "COUNTERSIGN_FROM": document.place.firstDay, "COUNTERSIGN_TO": document.place.lastDay,
            "COUNTERSIGN_ACCOUNT": document.place.account?.description ?? "",
        ]
    }
}
