import BrokerStore
import Clocks
import Encodings
import Foundation
import Hummingbird
import Inbox
import Logging
import Messages
import NIOCore
import Notifications
import ServiceLifecycle
import Storage

/// A broker that cannot start.
public struct BrokerStartError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

/// The broker: takes requests from agents, signs them for the phone, and accepts a statement only when its manifest and
/// its digest are right.
public struct BrokerService: Service {
    private let configuration: BrokerConfiguration
    private let database: BrokerDatabase
    private let keys: BrokerKeys
    private let clock: BrokerClock
    private let logger: Logger
    private let filer: (any DocumentFiler)?
    private let library: (any DocumentLibrary)?
    private let channels: [NamedChannel]
    private let onReady: @Sendable (Int) async -> Void
    private let reloads = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - library: reads and searches documents for agents; nil for a broker that does neither.
    ///   - channels: tell the owner, besides Telegram.
    ///   - filer: files the accepted documents with the owner's; nil to keep only the broker's own copies.
    ///   - onReady: called with the port once the broker answers on it.
    /// - Throws: ``StoreError`` when the database cannot be opened, or was sealed with another secret.
    public init(
        _ configuration: BrokerConfiguration, logger: Logger, clock: BrokerClock = BrokerClock(),
        filer: (any DocumentFiler)? = nil, library: (any DocumentLibrary)? = nil, channels: [NamedChannel] = [],
        onReady: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(StoreError) {
        var configuration = configuration
        self.clock = clock
        self.logger = logger
        self.filer = filer
        self.library = library
        self.channels = channels
        self.onReady = onReady
        database = try BrokerDatabase(configuration.database, clock: clock)
        configuration.sealing = try database.sealing(by: configuration.sealingFile, before: configuration.sealing)
        self.configuration = configuration
        keys = try BrokerKeys.stored(in: database.identity, configuration.sealing, host: configuration.host)
    }

    /// Returns true when the database answers. A service's watchdog asks here, where a flood of requests is not in the way.
    public func isWell() async -> Bool { (try? await database.check()) != nil }

    /// Has the running broker read its certificate and its key from their files again. A pair that cannot be used leaves the
    /// one before in use, and is logged. The policy needs no reload: the broker looks at its file every second.
    public func reload() { reloads.continuation.yield() }

    /// Serves until the task is cancelled or the service group shuts down. Then it accepts nothing new, answers pending long
    /// polls with the current state, and finishes the requests that it had begun to answer.
    ///
    /// - Throws: ``BrokerStartError`` when it cannot bind; `FileError` when the inbox cannot be watched.
    public func run() async throws {
        defer { database.close() }
        let store = database.requests
        let changes = RequestChanges()
        let phoneChanges = PhoneChanges()
        let metrics = BrokerMetrics()
        let timekeeper = Timekeeper(store: store, clock: clock, changes: changes, logger: logger)
        let notifiers: [any OwnerNotifying] = (configuration.channels + channels).map { named in
            ChannelNotifier(
                named.name, named.channel,
                requests: StoredRequests(channel: named.name, store: store, timekeeper: timekeeper, metrics: metrics),
                logger: logger, now: { [clock] in clock.now })
        }
        for notifier in notifiers { await changes.follow { notifier.follow($0) } }
        await changes.follow { _ in phoneChanges.announce() }
        let desk = PairingDesk()
        let policy = CurrentPolicy(configuration.policy, file: configuration.policyFile)
        let certificate = try (configuration.tls ?? (configuration.usesOwnCertificate ? keys.tls() : nil)).map {
            ServedCertificate($0)
        }
        let refused = RefusedTokens(database.audit, clock: clock)
        let tally = AuditTally(database.audit, clock: clock)
        let server = BrokerServer(
            configuration: configuration, database: database, keys: keys, desk: desk, timekeeper: timekeeper,
            changes: changes, phoneChanges: phoneChanges, metrics: metrics, policy: policy, refused: refused,
            tally: tally, certificate: certificate, library: library, logger: logger)
        let presence = BrokerPresence(
            configuration: configuration, identity: keys.identity, certificate: certificate,
            store: database.identity, logger: logger)
        try await database.audit.record(started(policy))
        if !channels.isEmpty {
            let names = channels.map { "channel \($0.name)" }.joined(separator: ", ")
            try await database.audit.record(
                AuditEvent(.pluginsLoaded, severity: .warning, details: ["plugins": .string(names)], time: clock.now))
        }
        try await database.pairings.endSessionsOfEarlierRun()
        try await database.webhook.setReceiver(configuration.webhook != nil)
        let notices = OwnerNotices(
            request: { envelope in
                phoneChanges.announce()
                for notifier in notifiers { notifier.nudge(envelope) }
            },
            offer: { offer in
                phoneChanges.announce()
                for notifier in notifiers { notifier.nudge(offer) }
            })
        let scheduler = Scheduler(
            schedules: database.schedules, offers: database.offers, requests: store, banks: database.banks,
            life: configuration.offerLife, clock: clock, logger: logger, announce: notices.offer)
        let application = try server.application(
            notices: notices,
            onReady: { [onReady] port in
                await presence.begin(port: port)
                await onReady(port)
            })
        let filings = filer.map { DocumentFilings($0, store: store, clock: clock, logger: logger) }
        let ingestor = ingestor(timekeeper, notifiers, filings, metrics)
        do {
            try await withThrowingTaskGroup(of: Part.self) { group in
                group.addTask {
                    try await withGracefulShutdownHandler {
                        try await application.run()
                    } onGracefulShutdown: {
                        Task {
                            await desk.end()
                            await changes.end()
                            phoneChanges.end()
                        }
                    }
                    return .server
                }
                group.addTask {
                    try await cancelWhenGracefulShutdown { try await ingestor.run() }
                    return .inbox
                }
                group.addTask {
                    await cancelWhenGracefulShutdown { await timekeeper.run() }
                    return .clock
                }
                let retention = Retention(
                    store: store, offers: database.offers, audit: database.audit, days: configuration.retentionDays,
                    rejected: RejectedDeliveries(folder: configuration.rejected), clock: clock, logger: logger)
                group.addTask {
                    await cancelWhenGracefulShutdown { await refused.run() }
                    return .tallies
                }
                group.addTask {
                    await cancelWhenGracefulShutdown { await tally.run() }
                    return .tallies
                }
                group.addTask {
                    await cancelWhenGracefulShutdown { await retention.run() }
                    return .retention
                }
                group.addTask {
                    await cancelWhenGracefulShutdown {
                        await policy.run(audit: database.audit, clock: clock, logger: logger)
                    }
                    return .policy
                }
                group.addTask {
                    await cancelWhenGracefulShutdown {
                        for await _ in reloads.stream { await renew(certificate, presence) }
                    }
                    return .reloads
                }
                group.addTask {
                    await cancelWhenGracefulShutdown { await scheduler.run() }
                    return .schedules
                }
                if let filings {
                    group.addTask {
                        await cancelWhenGracefulShutdown { await filings.run() }
                        return .filings
                    }
                }
                if let paperless = configuration.paperless {
                    let filings = PaperlessFilings(
                        paperless, store: database.paperless, clock: clock, look: configuration.outgoingLook,
                        logger: logger)
                    group.addTask {
                        await cancelWhenGracefulShutdown { await filings.run() }
                        return .paperless
                    }
                }
                if let webhook = configuration.webhook {
                    let deliveries = WebhookDeliveries(
                        sender: WebhookSender(webhook), store: database.webhook, clock: clock,
                        look: configuration.outgoingLook, logger: logger)
                    group.addTask {
                        await cancelWhenGracefulShutdown { await deliveries.run() }
                        return .webhook
                    }
                }
                for notifier in notifiers {
                    group.addTask {
                        await cancelWhenGracefulShutdown { await notifier.run() }
                        return .channel
                    }
                }
                // The server drains its connections first; the other parts end at once.
                while let ended = try await group.next(), ended != .server {}
                group.cancelAll()
            }
        } catch let error as IOError {
            await presence.end()
            throw BrokerStartError(message: server.explanation(of: error))
        }
        // What was counted up to the last call. A cancelled task cannot write.
        await Task {
            await refused.flush()
            await tally.flush()
        }.value
        await presence.end()
    }

    private enum Part {
        case server, inbox, clock, retention, policy, schedules, reloads, filings, paperless, webhook, channel,
            tallies
    }

    private func renew(_ certificate: ServedCertificate?, _ presence: BrokerPresence) async {
        guard let certificate, configuration.tls != nil else {
            return logger.info("nothing to reload: the broker has no certificate in BROKER_TLS_CERT")
        }
        do throws(TLSFileError) {
            let isAnother = try certificate.renew()
            guard isAnother else { return logger.info("the certificate is still the same") }
        } catch {
            logger.error(
                "the certificate cannot be renewed; the one before stays", metadata: ["problem": "\(error)"])
            _ = try? await database.audit.record(
                AuditEvent(
                    .certificateRefused, severity: .error, details: ["problem": .string("\(error)")],
                    time: clock.now))
            return
        }
        let sha256 = "\(certificate.fingerprint)"
        await presence.renewCertificate()
        logger.warning("the certificate is renewed", metadata: ["sha256": "\(sha256)"])
        _ = try? await database.audit.record(
            AuditEvent(
                .certificateRenewed, severity: .warning, details: ["sha256": .string(sha256)], time: clock.now))
    }

    /// Returns the record of this start, with the configuration that decides who may approve. No secret is in it.
    private func started(_ policy: CurrentPolicy) -> AuditEvent {
        AuditEvent(
            .brokerStarted, severity: .warning,
            details: [
                "version": .string(ProductVersion.current), "host": .string(configuration.host),
                "tls": .bool(configuration.scheme == "https"),
                "default_device": .bool(configuration.defaultDevice != nil),
                "telegram": .bool(configuration.telegram != nil),
                "paperless": .bool(configuration.paperless != nil), "webhook": .bool(configuration.webhook != nil),
                "inbox": .string(configuration.inbox.path),
                "approval_seconds": .number(configuration.approvalTTL.seconds),
                "execution_seconds": .number(configuration.executionTimeout.seconds),
                "undecided_per_agent": .number(Double(configuration.limits.undecidedPerAgent)),
                "retention_days": configuration.retentionDays.map { .number(Double($0)) } ?? .null,
                "policy_rules": .number(Double(policy.policy.rules.count)),
                "policy_sha256": policy.digest.map { .string($0) } ?? .null,
            ], time: clock.now)
    }

    private func ingestor(
        _ timekeeper: Timekeeper, _ notifiers: [any OwnerNotifying], _ filings: DocumentFilings?,
        _ metrics: BrokerMetrics
    ) -> InboxIngestor {
        let ledger = BrokerLedger(
            store: database.requests, timekeeper: timekeeper, notifiers: notifiers, filings: filings, metrics: metrics,
            logger: logger)
        let registry = DeviceRegistry(
            database, sealing: configuration.sealing, standard: configuration.defaultDevice)
        return InboxIngestor(
            folder: configuration.inbox, store: configuration.statements,
            rejected: RejectedDeliveries(folder: configuration.rejected),
            secrets: { try await registry.manifestSecrets(of: $0) }, ledger: ledger,
            timing: configuration.timing)
    }
}
