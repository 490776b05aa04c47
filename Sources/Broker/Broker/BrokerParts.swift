import Logging
import ServiceLifecycle

/// A part of the broker that works until it is told to end, and then ends at once.
struct BrokerPart: Service, CustomStringConvertible {
    /// The part's name in the service group's log.
    let description: String
    private let work: @Sendable () async throws -> Void
    private let atEnd: @Sendable () async -> Void

    /// - Parameters:
    ///   - work: returns soon after its task was cancelled.
    ///   - atEnd: called once the work has ended, also when it failed, in a task that is not cancelled.
    init(
        _ name: String, _ work: @escaping @Sendable () async throws -> Void,
        atEnd: @escaping @Sendable () async -> Void = {}
    ) {
        description = name
        self.work = work
        self.atEnd = atEnd
    }

    func run() async throws {
        let outcome: Result<Void, any Error>
        do {
            try await cancelWhenGracefulShutdown(work)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        // A cancelled task can write to no database.
        await Task { await atEnd() }.value
        try outcome.get()
    }
}

/// The parts of the broker as one service: they start together, and end when the server has.
///
/// At a shutdown the server ends first, because it drains its connections, and calls that it still answers may need the other
/// parts; these follow, the last of the list first. A part that fails cancels the others, and its error is the broker's. A
/// part that ends by itself leaves the others working.
struct BrokerParts: Service {
    private let parts: [any Service]
    private let server: any Service

    init(_ parts: [any Service], server: any Service) {
        self.parts = parts
        self.server = server
    }

    func run() async throws {
        // A service group shuts its services down in the opposite order.
        let services =
            parts.map {
                ServiceGroupConfiguration.ServiceConfiguration(service: $0, successTerminationBehavior: .ignore)
            } + [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)]
        try await ServiceGroup(
            configuration: .init(services: services, logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        ).run()
    }
}
