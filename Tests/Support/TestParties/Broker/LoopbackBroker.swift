import Broker
import Clocks
import Logging
import Notifications
import ServiceLifecycle

/// A real broker on loopback, in the test's process.
package enum LoopbackBroker {
    private static let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a broker while `body` talks to it, and shuts it down as SIGTERM would.
    ///
    /// - Parameter body: receives the port.
    package static func serve(
        _ configuration: BrokerConfiguration, logger: Logger? = nil, clock: BrokerClock = BrokerClock(),
        filer: (any DocumentFiler)? = nil, library: (any DocumentLibrary)? = nil, channels: [NamedChannel] = [],
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let (ports, report) = AsyncStream<Int>.makeStream()
        let service = try BrokerService(
            configuration, logger: logger ?? quiet, clock: clock, filer: filer, library: library, channels: channels
        ) {
            report.yield($0)
        }
        let group = ServiceGroup(configuration: .init(services: [service], logger: quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { report.finish() }
                try await group.run()
            }
            var failure: (any Error)?
            for await port in ports {
                do { try await body(port) } catch { failure = error }
                await group.triggerGracefulShutdown()
                break
            }
            try await tasks.waitForAll()
            if let failure { throw failure }
        }
    }
}
