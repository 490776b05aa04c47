import AssistantJobs
import AssistantProcesses
import AssistantStore
import Clocks
import CurlClient
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// The assistant's API: it signs users in, keeps their devices and preferences, and shows them what was done.
package struct AssistantService: Service {
    private static let sweepInterval: Duration = .seconds(3600)
    /// Ended sessions stay for a day, so that the reuse of their refresh tokens is still refused as reuse.
    private static let endedSessionsStay: TimeInterval = 86_400
    /// Briefs are kept for an hour; this is how much longer they may stay.
    private static let briefSweepInterval: Duration = .seconds(30)
    /// The seconds for which records are kept.
    private static let alertsStay: TimeInterval = 30 * 86_400
    private static let confirmationsStay: TimeInterval = 400 * 86_400
    private static let acquaintancesStay: TimeInterval = 400 * 86_400

    private let configuration: AssistantConfiguration
    private let keys: StateKeys
    private let webPushKey: String
    private let clock: BrokerClock
    private let pages: (any BrowserPages)?
    private let logger: Logger
    private let onReady: @Sendable (Int) async -> Void

    /// - Parameters:
    ///   - pages: served beside the API.
    ///   - onReady: called with the port once the API answers on it.
    /// - Throws: when the keys in the state folder cannot be used.
    package init(
        _ configuration: AssistantConfiguration, pages: (any BrowserPages)? = nil, logger: Logger,
        clock: BrokerClock = BrokerClock(), onReady: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.pages = pages
        self.clock = clock
        self.logger = logger
        self.onReady = onReady
        keys = try StateKeys(in: configuration.state)
        webPushKey = try configuration.notices.applicationServer(in: configuration.state).publicKey
        for warning in configuration.notices.warnings { logger.warning("\(warning)") }
    }

    /// Serves until the task is cancelled or the service group shuts down. Answers that were begun are finished.
    ///
    /// - Throws: `AssistantStoreError` when the database cannot be used; ``AssistantStartError`` when the port cannot.
    package func run() async throws {
        let database = try await AssistantDatabase.open(
            configuration.databaseURL, password: configuration.databasePassword,
            authorities: configuration.authorities)
        do {
            try await serve(database)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private func serve(_ database: AssistantDatabase) async throws {
        let transport = CurlSession(curlConfiguration)
        let apple = configuration.apple.map { settings in
            AppleIdentity(
                issuer: settings.issuer, audience: settings.audience,
                keys: AppleKeySet(settings.keySetURL, over: transport, elapsed: { [clock] in clock.elapsed }))
        }
        let enclave = EnclaveClient(configuration.places)
        let keyService = KeyServiceClient(configuration.places)
        let google = configuration.google.map { settings in
            GoogleConnecting(
                settings: settings, consentSeconds: configuration.consentSeconds, curl: curlConfiguration,
                database: database, keys: keys, keyService: keyService, enclave: enclave, clock: clock, logger: logger)
        }
        let deletions = PrivacyWorker(database: database, enclave: enclave, clock: clock, logger: logger)
        var server = AssistantServer(
            configuration: configuration, database: database, keys: keys, apple: apple, google: google,
            enclave: enclave, keyService: keyService, deletions: deletions, clock: clock, logger: logger)
        server.pages = pages
        server.webPushKey = webPushKey
        let application = try server.application(onReady: onReady)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await application.run() }
                group.addTask { await cancelWhenGracefulShutdown { await sweep(database) } }
                group.addTask { await cancelWhenGracefulShutdown { await sweepBriefs(database) } }
                group.addTask { await cancelWhenGracefulShutdown { await deletions.run() } }
                // The server drains its connections first; the other parts end at once.
                while try await group.next() != nil {}
            }
        } catch let error as IOError {
            throw AssistantStartError(
                "the assistant cannot listen on \(configuration.host), port \(configuration.port): \(error); "
                    + "set ASSISTANT_PORT")
        }
        await transport.close()
    }

    /// Removes what is over, now and every hour.
    private func sweep(_ database: AssistantDatabase) async {
        while !Task.isCancelled {
            do {
                let now = clock.now
                _ = try await database.sessions.removeEnded(before: now.addingTimeInterval(-Self.endedSessionsStay))
                _ = try await database.audit.remove(
                    before: now.addingTimeInterval(-86_400 * Double(configuration.auditDays)))
                _ = try await database.alerts.remove(before: now.addingTimeInterval(-Self.alertsStay))
                _ = try await database.confirmations.remove(before: now.addingTimeInterval(-Self.confirmationsStay))
                _ = try await database.mail.forget(before: now.addingTimeInterval(-Self.acquaintancesStay))
            } catch is CancellationError {
                return
            } catch {
                logger.error("what is over could not be removed", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: Self.sweepInterval)
        }
    }

    /// Removes briefs whose time is over.
    private func sweepBriefs(_ database: AssistantDatabase) async {
        while !Task.isCancelled {
            do {
                _ = try await database.briefs.removeExpired(at: clock.now)
            } catch is CancellationError {
                return
            } catch {
                logger.error("old briefs could not be removed", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: Self.briefSweepInterval)
        }
    }

    private var curlConfiguration: CurlConfiguration {
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.extraCAFile = configuration.authorities
        curl.limits.connect = .seconds(5)
        curl.limits.firstByte = .seconds(5)
        curl.limits.whole = .seconds(10)
        curl.limits.bodySize = 256 << 10
        return curl
    }
}
