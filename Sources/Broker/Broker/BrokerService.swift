import BrokerStore
import Clocks
import Foundation
import Inbox
import Logging
import Notifications
import ServiceLifecycle
import Storage

/// A broker that cannot start.
package struct BrokerStartError: Error, Sendable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}

/// The broker: takes requests from agents, signs them for the phone, and accepts a statement only when its manifest and
/// its digest are right.
public struct BrokerService: Service {
    /// The words with which the log says that another program has the broker's port.
    package static let socketAlone = "the broker answers at its socket alone"
    /// The words with which the log says that the broker's socket cannot be made.
    package static let portAlone = "the broker answers at its port alone"

    let configuration: BrokerConfiguration
    let database: BrokerDatabase
    let keys: BrokerKeys
    let clock: BrokerClock
    let logger: Logger
    let filer: (any DocumentFiler)?
    let library: (any DocumentLibrary)?
    let channels: [NamedChannel]
    let inboxes: [NamedInbox]
    let onReady: @Sendable (Int) async -> Void
    let reloads = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - library: reads and searches documents for agents; nil for a broker that does neither.
    ///   - channels: tell the owner, besides Telegram.
    ///   - inboxes: bring documents, each around the one before.
    ///   - filer: files the accepted documents with the owner's; nil to keep only the broker's own copies.
    ///   - onReady: called with the port once the broker answers on it; 0 where it answers at its socket alone.
    /// - Throws: ``StoreError`` when the database cannot be opened, or was sealed with another secret.
    package init(
        _ configuration: BrokerConfiguration, logger: Logger, clock: BrokerClock = BrokerClock(),
        filer: (any DocumentFiler)? = nil, library: (any DocumentLibrary)? = nil, channels: [NamedChannel] = [],
        inboxes: [NamedInbox] = [], onReady: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(StoreError) {
        var configuration = configuration
        self.clock = clock
        self.logger = logger
        self.filer = filer
        self.library = library
        self.channels = channels
        self.inboxes = inboxes
        self.onReady = onReady
        database = try BrokerDatabase(configuration.database, clock: clock)
        configuration.sealing = try database.sealing(by: configuration.sealingFile, before: configuration.sealing)
        self.configuration = configuration
        keys = try BrokerKeys.stored(in: database.identity, configuration.sealing, host: configuration.host)
    }

    /// Prepares a broker that keeps only its own copies of the documents.
    ///
    /// - Parameters:
    ///   - onReady: called with the port once the broker answers on it; 0 where it answers at its socket alone.
    /// - Throws: an error that says why the database cannot be opened.
    public init(
        _ configuration: BrokerConfiguration, logger: Logger, onReady: @escaping @Sendable (Int) async -> Void
    ) throws {
        try self.init(configuration, logger: logger, clock: BrokerClock(), onReady: onReady)
    }

    /// Returns true when the database answers. A service's watchdog asks here, where a flood of requests is not in the way.
    package func isWell() async -> Bool { (try? await database.check()) != nil }

    /// Has the running broker read its certificate and its key from their files again. A pair that cannot be used leaves the
    /// one before in use, and is logged. The policy needs no reload: the broker looks at its file every second.
    package func reload() { reloads.continuation.yield() }

    /// Serves until the task is cancelled or the service group shuts down. Then it accepts nothing new, answers pending long
    /// polls with the current state, and finishes the requests that it had begun to answer.
    ///
    /// - Throws: ``BrokerStartError`` when it cannot bind; `FileError` when the inbox cannot be watched.
    public func run() async throws {
        defer { database.close() }
        let running = try await RunningBroker(self)
        try await running.begin()
        try await BrokerParts(try running.parts(), server: try running.server()).run()
    }
}
