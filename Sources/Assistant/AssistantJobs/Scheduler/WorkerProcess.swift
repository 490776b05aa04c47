import AssistantProcesses
import AssistantStore
import Clocks
import CurlClient
import Foundation
import Logging
import ServiceLifecycle

/// The process that performs the users' jobs: it reads calendars and mail at Google, and sends notices.
///
/// It cannot open a refresh token: access tokens come from the enclave.
package struct WorkerProcess: Service {
    /// The time between two looks for notices whose quiet hours are over.
    private static let release: Duration = .seconds(5)
    /// The time between two looks for briefs whose hour is over.
    private static let briefSweep: Duration = .seconds(30)

    private let configuration: WorkerConfiguration
    private let clock: BrokerClock
    private let leasesByClock: Bool
    private let limits: WorkerLimits
    private let logger: Logger
    private let onReady: @Sendable () -> Void

    /// - Parameter leasesByClock: true where `clock` is not the machine's. Otherwise the database's own time counts for
    ///   leases, whatever the clocks of several workers say.
    package init(
        _ configuration: WorkerConfiguration, logger: Logger, clock: BrokerClock = BrokerClock(),
        leasesByClock: Bool = false, limits: WorkerLimits = WorkerLimits(), onReady: @escaping @Sendable () -> Void = {}
    ) {
        self.configuration = configuration
        self.clock = clock
        self.leasesByClock = leasesByClock
        self.limits = limits
        self.logger = logger
        self.onReady = onReady
    }

    /// Works until the task is cancelled or the service group shuts down.
    ///
    /// - Throws: `AssistantStoreError` when the database cannot be used; `AssistantStartError` when the keys cannot.
    package func run() async throws {
        let keys = try StateKeys(in: configuration.places.state)
        let database = try await AssistantDatabase.open(
            configuration.database.url, password: configuration.database.password,
            authorities: configuration.authorities)
        do {
            try await work(database, keys)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private func work(_ database: AssistantDatabase, _ keys: StateKeys) async throws {
        let notices = try NoticeDelivery(
            configuration.notices, state: configuration.places.state, database: database, keys: keys, logger: logger)
        let curl = curl
        let transports = GoogleTransports { CurlSession(curl) }
        let google = GoogleAccess(
            database: database, enclave: EnclaveClient(configuration.places),
            endpoints: configuration.google?.endpoints ?? GoogleEndpoints(), transports: transports, notices: notices)
        let titles = GoogleTransports(limit: 16) { CurlSession(curl) }
        let held = HeldNotices(notices)
        let worker = AssistantWorker(
            database: database, handlers: handlers(database, keys, google, titles, notices),
            tasks: [
                WorkerTask(every: Self.release) { _ = try await held.releaseDue(at: $0) },
                WorkerTask(every: Self.briefSweep) { _ = try await database.briefs.removeExpired(at: $0) },
            ], limits: limits, clock: clock, leasesByClock: leasesByClock, logger: logger)
        onReady()
        do {
            try await worker.run()
        } catch {
            await notices.close()
            for sessions in [transports, titles] { await sessions.close() }
            throw error
        }
        await notices.close()
        for sessions in [transports, titles] { await sessions.close() }
    }

    /// Returns the handlers of all jobs that a worker performs.
    private func handlers(
        _ database: AssistantDatabase, _ keys: StateKeys, _ google: GoogleAccess, _ titles: GoogleTransports,
        _ notices: NoticeDelivery
    ) -> [any JobHandler] {
        let asking = configuration.broker.map { settings -> (offers: StatementOffers, handler: StatementDueHandler) in
            let broker = settings.client(authorities: configuration.authorities)
            let offers = StatementOffers(
                database: database, keys: keys, broker: broker, notices: notices, users: settings.users, logger: logger)
            return (
                offers,
                StatementDueHandler(
                    database: database, keys: keys, broker: broker, offers: offers, notices: notices,
                    schedule: settings.schedule)
            )
        }
        let handlers: [any JobHandler] = [
            CalendarSync(
                database: database, keys: keys, calendars: GoogleCalendars(google),
                interval: TimeInterval(configuration.calendarSeconds)),
            MeetingReminder(
                database: database, keys: keys, notices: notices,
                titles: GoogleTitles(google, over: titles, database, keys)),
            UrgentMailHandler(
                database: database, keys: keys, google: google, notices: notices,
                interval: TimeInterval(configuration.mailSeconds), statements: asking?.offers,
                onAlert: { database.metrics.count(.urgentAlerts) }),
            MorningBriefHandler(
                database: database, keys: keys, sources: GoogleBriefs(google, database, keys), notices: notices,
                offers: asking?.offers),
        ]
        return handlers + (asking.map { [$0.handler] } ?? [])
    }

    private var curl: CurlConfiguration {
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.extraCAFile = configuration.authorities
        curl.limits.connect = .seconds(10)
        curl.limits.firstByte = .seconds(20)
        curl.limits.whole = .seconds(30)
        curl.limits.bodySize = 8 << 20
        return curl
    }
}
