import Hummingbird
import Logging
import ServiceLifecycle

/// Serves the broker's socket until the end.
///
/// A socket that is removed from the disk is made again. Otherwise a program that knows the socket alone, and every program
/// where another one has the port, could not reach the broker until its next start.
struct BrokerSocketListener: Sendable {
    let made: MadeSocket
    private let application: BrokerApplication
    /// The time between two looks at the disk.
    private let look: Duration
    private let logger: Logger

    init(_ made: MadeSocket, _ application: BrokerApplication, look: Duration, logger: Logger) {
        (self.made, self.application, self.look, self.logger) = (made, application, look, logger)
    }

    private var path: Logger.Metadata { ["socket": "\(made.socket.served.file.path)"] }

    /// Serves, and returns also when the disk takes no socket.
    func run() async throws {
        var isAgain = false
        do {
            while try await serveUntilRemoved() {
                logger.error("the broker's socket was removed from the disk; it is made again", metadata: path)
                isAgain = true
                made.forget()
                try made.socket.prepareFolder()
            }
            made.end()
        } catch {
            // Not all disks take sockets: exFAT does not, nor do some shared folders.
            guard !(error is CancellationError), isAgain || !made.socket.served.isThere else {
                made.end(throwing: error)
                throw error
            }
            let problem = path.merging(["problem": "\(error)"]) { $1 }
            if isAgain {
                logger.error("the broker's socket cannot be made again; start the broker again", metadata: problem)
            } else {
                logger.error("\(BrokerService.portAlone), because its socket cannot be made", metadata: problem)
            }
            made.end()
        }
    }

    private enum Ending {
        case served, removed, unwatched
    }

    /// - Returns: true when the socket was removed.
    private func serveUntilRemoved() async throws -> Bool {
        try await withThrowingTaskGroup(of: Ending.self) { tasks in
            tasks.addTask {
                try await application.run()
                return .served
            }
            tasks.addTask {
                // The server ends by itself then, with what it has begun.
                let wasRemoved: Void? = try? await cancelWhenGracefulShutdown { try await awaitRemoval() }
                return wasRemoved == nil ? .unwatched : .removed
            }
            // The connections of the removed socket end with it; their programs come back to the new one.
            defer { tasks.cancelAll() }
            while let ending = try await tasks.next(), ending != .served {
                if ending == .removed { return true }
            }
            return false
        }
    }

    /// Waits until nothing lies at the socket's path. Another program's file there stays, and is told once.
    private func awaitRemoval() async throws {
        var wasTold = false
        while true {
            try await Task.sleep(for: look)
            switch made.standing {
            case .there: wasTold = false
            case .gone: return
            case .replaced:
                guard !wasTold else { continue }
                wasTold = true
                logger.error(
                    "something else lies where the broker's socket was; move it away, and the socket is made again",
                    metadata: path)
            }
        }
    }
}
