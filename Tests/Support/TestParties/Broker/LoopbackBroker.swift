import Broker
import Clocks
import Inbox
import Logging
import Notifications

/// A real broker on loopback, in the test's process.
package enum LoopbackBroker {
    private static let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a broker while `body` talks to it, and shuts it down as SIGTERM would.
    ///
    /// - Parameter body: receives the port.
    package static func serve(
        _ configuration: BrokerConfiguration, logger: Logger? = nil, clock: BrokerClock = BrokerClock(),
        filer: (any DocumentFiler)? = nil, library: (any DocumentLibrary)? = nil, channels: [NamedChannel] = [],
        inboxes: [NamedInbox] = [],
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await ServedService.run(
            { onReady in
                try BrokerService(
                    configuration, logger: logger ?? quiet, clock: clock, filer: filer, library: library,
                    channels: channels, inboxes: inboxes, onReady: onReady)
            }, body)
    }
}
