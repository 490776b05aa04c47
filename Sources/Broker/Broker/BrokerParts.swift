import Clocks
import Logging
import ServiceLifecycle
import Synchronization

/// A part of the broker that works until it is told to end, and then ends at once.
struct BrokerPart: Service, CustomStringConvertible {
    /// The error of a part that goes on working although its task was cancelled.
    struct Stuck: Error, Equatable, CustomStringConvertible {
        let part: String
        let patience: Duration

        var description: String {
            "the broker's part \"\(part)\" still works \(patience.inWords) after it was to end; the broker ends without it"
        }
    }

    /// The part's name in the service group's log.
    let description: String
    private let patience: Duration
    private let work: @Sendable () async throws -> Void
    private let atEnd: @Sendable () async -> Void

    /// - Parameters:
    ///   - patience: the time to end in once the part's task is cancelled. A graceful shutdown alone has no such limit.
    ///   - work: returns soon after its task was cancelled.
    ///   - atEnd: called once the work has ended, also when it failed, in a task that is not cancelled.
    init(
        _ name: String, patience: Duration = .seconds(5), _ work: @escaping @Sendable () async throws -> Void,
        atEnd: @escaping @Sendable () async -> Void = {}
    ) {
        description = name
        self.patience = patience
        self.work = work
        self.atEnd = atEnd
    }

    /// - Throws: the work's error; ``Stuck`` when the task was cancelled and the part has not ended in time.
    func run() async throws {
        let (ends, end) = AsyncStream<Result<Void, any Error>>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let whole = Task {
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
            // A cancelled task can write to no database.
            await Task { await atEnd() }.value
            end.yield(outcome)
        }
        // Not this task, whose cancellation would end the stream for it at once.
        let outcome = Task { await ends.first { _ in true } }
        let result = await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await outcome.value
            } onGracefulShutdown: {
                whole.cancel()
            }
        } onCancel: {
            whole.cancel()
            Task {
                try? await Task.sleep(for: patience)
                end.yield(.failure(Stuck(part: description, patience: patience)))
            }
        }
        try result?.get()
        // A group that shuts down counts a part that ends before its turn as failed, and cancels the others at once, the server
        // with its open calls among them.
        try? await gracefulShutdown()
    }
}

/// The parts of the broker as one service: they start together, and end when the server has.
///
/// At a shutdown the server ends first, because it drains its connections, and calls that it still answers may need the other
/// parts; these follow, the last of the list first. A part that fails cancels the others, and its error is the broker's. A
/// part that ends by itself leaves the others working, also during a shutdown.
struct BrokerParts: Service {
    private let parts: [BrokerPart]
    private let server: any Service
    private let limit: Duration

    /// - Parameter limit: the time that a shutdown has. What still works then is cancelled, all at once: the server answers no
    ///   more, and each part has its own patience. Together they are below systemd's `TimeoutStopSec`, which kills.
    init(_ parts: [BrokerPart], server: any Service, limit: Duration = .seconds(20)) {
        self.parts = parts
        self.server = server
        self.limit = limit
    }

    func run() async throws {
        let stuck = StuckPart()
        // A service group shuts its services down in the opposite order.
        let services =
            parts.map {
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: WatchedPart(part: $0, stuck: stuck), successTerminationBehavior: .ignore)
            } + [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)]
        var configuration = ServiceGroupConfiguration(
            services: services, logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        configuration.maximumGracefulShutdownDuration = limit
        try await ServiceGroup(configuration: configuration).run()
        // A group that has cancelled its services drops their errors.
        if let error = stuck.error.withLock(\.self) { throw error }
    }
}

/// The first part that did not end.
private final class StuckPart: Sendable {
    let error = Mutex<BrokerPart.Stuck?>(nil)
}

private struct WatchedPart: Service {
    let part: BrokerPart
    let stuck: StuckPart

    func run() async throws {
        do {
            try await part.run()
        } catch let error as BrokerPart.Stuck {
            stuck.error.withLock { $0 = $0 ?? error }
            throw error
        }
    }
}
