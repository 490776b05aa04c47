import BrokerStore
import Encodings
import Foundation
import Inbox
import Languages
import Logging
import Messages
import Notifications
import ServiceLifecycle
import Storage

/// A broker's server and its other parts, wired to each other for one run.
struct RunningBroker: Sendable {
    private let service: BrokerService
    private let configuration: BrokerConfiguration
    private let database: BrokerDatabase
    private let changes = RequestChanges()
    private let phoneChanges = PhoneChanges()
    private let metrics = BrokerMetrics()
    private let desk = PairingDesk()
    private let timekeeper: Timekeeper
    private let notifiers: [any OwnerNotifying]
    private let consents: ConsentWatch
    private let policy: CurrentPolicy
    private let certificate: ServedCertificate?
    private let refused: RefusedTokens
    private let tally: AuditTally
    private let http: BrokerServer
    private let presence: BrokerPresence

    /// - Throws: when the certificate cannot be used.
    init(_ service: BrokerService) async throws {
        let (configuration, database) = (service.configuration, service.database)
        let (clock, logger, keys) = (service.clock, service.logger, service.keys)
        self.service = service
        self.configuration = configuration
        self.database = database
        let timekeeper = Timekeeper(store: database.requests, clock: clock, changes: changes, logger: logger)
        self.timekeeper = timekeeper
        let language = try await Self.language(fixed: configuration.language, database, logger)
        let channels =
            configuration.channels.map { ($0, MessagePlace.request) }
            + service.channels.map { ($0, MessagePlace.channel($0.name)) }
        notifiers = channels.map { [metrics] named, place in
            ChannelNotifier(
                named.name, named.channel,
                requests: StoredRequests(
                    channel: named.name, place: place, store: database.requests, timekeeper: timekeeper,
                    metrics: metrics),
                logger: logger, language: language, now: { clock.now })
        }
        consents = ConsentWatch(
            banks: database.banks, hasDefaultDevice: configuration.defaultDevice != nil,
            interval: configuration.consentLook, notifiers: notifiers, clock: clock, logger: logger)
        policy = CurrentPolicy(configuration.policy, file: configuration.policyFile, clients: database.clients)
        certificate = try (configuration.tls ?? (configuration.usesOwnCertificate ? keys.tls() : nil)).map {
            ServedCertificate($0)
        }
        refused = RefusedTokens(database.audit, clock: clock)
        tally = AuditTally(database.audit, clock: clock)
        http = BrokerServer(
            configuration: configuration, database: database, keys: keys, desk: desk, timekeeper: timekeeper,
            changes: changes, phoneChanges: phoneChanges, metrics: metrics, policy: policy, refused: refused,
            tally: tally, language: language, certificate: certificate, library: service.library, logger: logger)
        presence = BrokerPresence(
            configuration: configuration, identity: keys.identity, certificate: certificate,
            store: database.identity, logger: logger)
        for notifier in notifiers { await changes.follow { notifier.follow($0) } }
        await changes.follow { [phoneChanges] _ in phoneChanges.announce() }
    }

    /// Returns the language of the owner's messages, with what was told of it before this start.
    private static func language(
        fixed: Language?, _ database: BrokerDatabase, _ logger: Logger
    ) async throws -> OwnerLanguage {
        var told: [OwnerLanguage.Source: Language] = [:]
        for (source, code) in try await database.owner.languages() {
            if let source = OwnerLanguage.Source(rawValue: source) { told[source] = OwnerLanguage.language(of: code) }
        }
        return OwnerLanguage(fixed, told: told) { source, language in
            do {
                try await database.owner.keep(language: language?.rawValue, from: source.rawValue)
            } catch {
                logger.error("the owner's language could not be kept", metadata: ["error": "\(error)"])
            }
        } readPage: {
            OwnerLanguage.language(of: try await database.owner.languages()[OwnerLanguage.Source.page.rawValue])
        }
    }

    /// Records the start, and brings up to date what an earlier run has left in the database.
    func begin() async throws {
        try await database.audit.record(started)
        let plugged = service.channels.map { "channel \($0.name)" } + service.inboxes.map { "inbox \($0.name)" }
        if !plugged.isEmpty {
            let names = plugged.joined(separator: ", ")
            try await database.audit.record(
                AuditEvent(
                    .pluginsLoaded, severity: .warning, details: ["plugins": .string(names)], time: service.clock.now))
        }
        try await database.pairings.endSessionsOfEarlierRun()
        try await database.webhook.setReceiver(configuration.webhook != nil)
    }

    /// Returns the HTTP server. Once it is to end, it accepts nothing new and answers pending long polls.
    func server() throws -> some Service {
        try BrokerListeners(
            http: http, notices: notices,
            onReady: { [presence, service] port in
                await presence.begin(port: port)
                await service.onReady(port)
            },
            onSocketAlone: { [presence, service, configuration] in
                await presence.begin(port: configuration.port)
                await service.onReady(0)
            },
            endWaiting: { [desk, changes, phoneChanges] in
                await desk.end()
                await changes.end()
                phoneChanges.end()
            })
    }

    /// Returns all parts but the server, in the order of their start.
    func parts() throws -> [BrokerPart] {
        let (clock, logger) = (service.clock, service.logger)
        let filings = service.filer.map {
            DocumentFilings(
                $0, store: database.requests, clock: clock, pause: configuration.filingPause, logger: logger)
        }
        let scheduler = Scheduler(
            schedules: database.schedules, offers: database.offers, requests: database.requests, banks: database.banks,
            life: configuration.offerLife, clock: clock, logger: logger, announce: notices.offer)
        let retention = Retention(
            store: database.requests, offers: database.offers, audit: database.audit, days: configuration.retentionDays,
            rejected: RejectedDeliveries(folder: configuration.rejected), clock: clock, logger: logger)
        let deliveries = deliveries(filings)
        return [
            BrokerPart("presence", Self.wait, atEnd: { [presence] in await presence.end() }),
            BrokerPart(
                "refused tokens", { [refused] in await refused.run() }, atEnd: { [refused] in await refused.flush() }),
            BrokerPart(
                "counted events", { [tally] in await tally.run() }, atEnd: { [tally] in await tally.flush() }),
            BrokerPart("inbox") { try await deliveries.run() },
            BrokerPart("clock") { [timekeeper] in await timekeeper.run() },
            BrokerPart("retention") { await retention.run() },
            BrokerPart("policy") { [policy, database] in
                await policy.run(audit: database.audit, clock: clock, logger: logger)
            },
            BrokerPart("reloads") { [self] in for await _ in service.reloads.stream { await renew() } },
            BrokerPart("schedules") { await scheduler.run() },
            BrokerPart("consents") { [consents] in await consents.run() },
        ] + (filings.map { filings in [BrokerPart("filings") { await filings.run() }] } ?? []) + outgoing
            + notifiers.map { notifier in BrokerPart("channel") { await notifier.run() } }
    }

    /// The parts that send accepted documents, and news of them, to other programs.
    private var outgoing: [BrokerPart] {
        let (clock, logger) = (service.clock, service.logger)
        var parts: [BrokerPart] = []
        if let paperless = configuration.paperless {
            let filings = PaperlessFilings(
                paperless, store: database.paperless, clock: clock, look: configuration.outgoingLook, logger: logger)
            parts.append(BrokerPart("paperless") { await filings.run() })
        }
        if let webhook = configuration.webhook {
            let deliveries = WebhookDeliveries(
                sender: WebhookSender(webhook), store: database.webhook, clock: clock,
                look: configuration.outgoingLook, logger: logger)
            parts.append(BrokerPart("webhook") { await deliveries.run() })
        }
        return parts
    }

    private var notices: OwnerNotices {
        OwnerNotices(
            request: { [phoneChanges, notifiers] envelope in
                phoneChanges.announce()
                for notifier in notifiers { notifier.nudge(envelope) }
            },
            offer: { [phoneChanges, notifiers] offer in
                phoneChanges.announce()
                for notifier in notifiers { notifier.nudge(offer) }
            }, consents: { [consents] in consents.lookSoon() })
    }

    /// Waits until the task is cancelled.
    @Sendable private static func wait() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }

    private func renew() async {
        let (clock, logger) = (service.clock, service.logger)
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

    /// The record of this start, with the configuration that decides who may approve. No secret is in it.
    private var started: AuditEvent {
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
            ], time: service.clock.now)
    }

    private func deliveries(_ filings: DocumentFilings?) -> any DeliverySource {
        let ledger = BrokerLedger(
            store: database.requests, timekeeper: timekeeper, notifiers: notifiers, filings: filings, metrics: metrics,
            inbox: configuration.inbox, documents: configuration.statements, logger: service.logger)
        let registry = DeviceRegistry(
            database, sealing: configuration.sealing, standard: configuration.defaultDevice)
        let standard: any DeliverySource = InboxIngestor(
            folder: configuration.inbox, store: configuration.statements,
            rejected: RejectedDeliveries(folder: configuration.rejected),
            secrets: { try await registry.manifestSecrets(of: $0) }, ledger: ledger,
            timing: configuration.timing)
        return service.inboxes.reduce(standard) { [logger = service.logger] source, inbox in
            inbox.source(around: source, folder: configuration.inbox) { problem in
                logger.error(
                    "the inbox of a plug-in failed; deliveries wait, and it begins again",
                    metadata: ["inbox": "\(inbox.name)", "error": "\(problem)"])
            }
        }
    }
}
