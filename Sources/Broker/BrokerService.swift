import Foundation
import Hummingbird
import Inbox
import Logging
import NIOCore
import ServiceLifecycle
import Signer

/// A broker that cannot start.
public struct BrokerStartError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

/// The broker: takes requests from agents, signs them for the phone, and believes in a statement only when its manifest
/// and its digest are right.
public struct BrokerService: Service {
    private let configuration: BrokerConfiguration
    private let store: RequestStore
    private let clock: BrokerClock
    private let logger: Logger
    private let onReady: @Sendable (Int) async -> Void

    /// - Parameter onReady: is told the port when the broker answers on it.
    /// - Throws: ``StoreError`` when the database cannot be opened.
    public init(
        _ configuration: BrokerConfiguration, logger: Logger, clock: BrokerClock = BrokerClock(),
        onReady: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(StoreError) {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        self.onReady = onReady
        store = try RequestStore(configuration.database)
    }

    /// Serves until the task is cancelled or the service group shuts down.
    ///
    /// - Throws: ``BrokerStartError`` when the port is taken; what the inbox throws when it cannot be watched.
    public func run() async throws {
        let changes = RequestChanges()
        let notifier = configuration.telegram.map { TelegramNotifier($0, logger: logger) }
        let ledger = BrokerLedger(store: store, clock: clock, changes: changes, notifier: notifier, logger: logger)
        var timing = IngestTiming()
        timing.reconciliation = configuration.timing.reconciliation
        timing.stability = configuration.timing.stability
        let ingestor = InboxIngestor(
            folder: configuration.inbox, store: configuration.statements, secret: configuration.sharedSecret,
            ledger: ledger, timing: timing)
        let application = application(changes: changes, notifier: notifier)
        do {
            try await withThrowingTaskGroup(of: Part.self) { group in
                group.addTask {
                    try await application.run()
                    return .server
                }
                group.addTask {
                    try await cancelWhenGracefulShutdown { try await ingestor.run() }
                    return .inbox
                }
                group.addTask {
                    await cancelWhenGracefulShutdown { await watchTheClock(changes) }
                    return .clock
                }
                // The server drains at its own pace; the others end at once.
                while let ended = try await group.next(), ended != .server {}
                group.cancelAll()
            }
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw BrokerStartError(
                message: "port \(configuration.port) is in use; stop what is there, or set BROKER_PORT")
        }
        await notifier?.close()
    }

    private enum Part { case server, inbox, clock }

    private func application(
        changes: RequestChanges, notifier: TelegramNotifier?
    ) -> some ApplicationProtocol {
        let limits = RateLimits()
        let router = Router()
        router.add(middleware: ErrorAnswers())
        router.get("healthz") { _, _ in Response.json(["status": "ok"]) }
        AgentAPI(
            configuration: configuration, store: store, clock: clock, changes: changes,
            nudge: { envelope in
                guard let notifier else { return }
                Task {
                    guard let message = await notifier.nudge(envelope) else { return }
                    try? await store.remember(telegramMessage: message, for: envelope.requestID)
                }
            }
        ).addRoutes(
            to: router.group().add(
                middleware: Authorization(party: .agent, token: configuration.agentToken, limits: limits)))
        PhoneAPI(configuration: configuration, store: store, clock: clock, changes: changes).addRoutes(
            to: router.group().add(
                middleware: Authorization(party: .phone, token: configuration.phoneToken, limits: limits)))
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let onReady = onReady
        return Application(
            router: router,
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port), serverName: "countersign"),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: quiet)
    }

    /// Ends what is overdue, every second; every read does so too.
    private func watchTheClock(_ changes: RequestChanges) async {
        while !Task.isCancelled {
            do {
                for id in try await store.endOverdue(at: clock.now) { await changes.announce(id) }
            } catch is CancellationError {
                return
            } catch {
                logger.error("overdue requests could not be ended", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
