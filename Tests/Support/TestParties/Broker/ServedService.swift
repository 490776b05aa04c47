import Logging
import ServiceLifecycle

/// A server on loopback, in the test's process.
package enum ServedService {
    private static let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a service while `body` talks to it, and shuts it down as SIGTERM would.
    ///
    /// - Parameters:
    ///   - make: makes the service. Its argument is for the service to call with its address, or its port, once it answers.
    ///   - body: receives the address.
    package static func run<Address: Sendable>(
        _ make: (_ onReady: @escaping @Sendable (Address) -> Void) throws -> any Service,
        _ body: @escaping @Sendable (Address) async throws -> Void
    ) async throws {
        let (addresses, report) = AsyncStream<Address>.makeStream()
        let service = try make { report.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [service], logger: quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { report.finish() }
                try await group.run()
            }
            var failure: (any Error)?
            for await address in addresses {
                do { try await body(address) } catch { failure = error }
                await group.triggerGracefulShutdown()
                break
            }
            try await tasks.waitForAll()
            if let failure { throw failure }
        }
    }
}
