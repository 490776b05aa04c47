import AssistantJobs
import AssistantProcesses
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import WebServing

/// The HTTP server of the assistant: its routes and its socket.
struct AssistantServer: Sendable {
    let configuration: AssistantConfiguration
    let database: AssistantDatabase
    let keys: StateKeys
    let apple: AppleIdentity?
    let google: GoogleConnecting?
    let enclave: EnclaveClient
    let keyService: KeyServiceClient
    let deletions: PrivacyWorker
    let clock: BrokerClock
    let logger: Logger
    var pages: (any BrowserPages)?
    /// The public key to which browsers subscribe.
    var webPushKey = ""

    func application(onReady: @escaping @Sendable (Int) async -> Void) throws -> some ApplicationProtocol {
        let connections = OpenConnections(limit: configuration.connections)
        // The framework's own messages matter only when something is wrong.
        var quiet = Logger(label: logger.label) { _ in logger.handler }
        quiet.logLevel = max(logger.logLevel, .notice)
        return Application(
            responder: PagesAndAPI(
                api: try router().buildResponder(), pages: pages, isBehindProxy: configuration.isBehindProxy),
            server: .limited(configuration.timeouts, among: connections),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port), serverName: "countersign",
                backlog: 1024,
                availableConnectionsDelegate: .maximum(configuration.connections, logger: quiet)),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: quiet)
    }

    private func router() throws -> Router<AssistantContext> {
        let router = Router(context: AssistantContext.self)
        router.add(middleware: AssistantErrorAnswers(routes: try routes()))
        try addRoutes(to: router)
        return router
    }

    /// Lists the routes, read from a router that serves no connection.
    func routes() throws -> [(method: String, path: [String])] {
        let router = Router(context: AssistantContext.self)
        try addRoutes(to: router)
        return router.routes.map { route in
            (route.method.rawValue, route.path.description.split(separator: "/").map(String.init))
        }
    }

    private func addRoutes(to router: Router<AssistantContext>) throws {
        let limits = AssistantLimits(refusedBurst: configuration.refusedBurst)
        let tokens = AccessTokens(key: keys.accessTokens)
        let strangers = router.group().add(middleware: StrangerLimit(limits: limits))
        let users = router.group().add(
            middleware: AssistantAuthorization(
                tokens: tokens, sessions: database.sessions, limits: limits, clock: clock))
        let issuer = SessionIssuer(sessions: database.sessions, keys: keys, tokens: tokens)
        let sessions = SessionAPI(
            apple: apple, signup: configuration.signup, database: database, keys: keys, issuer: issuer, limits: limits,
            clock: clock)
        sessions.addRoutes(to: strangers)
        sessions.addRefreshRoute(to: router.group().add(middleware: RefusalCount(limits: limits)))
        PasskeyAPI(
            site: configuration.site, signup: configuration.signup, passkeys: database.passkeys, issuer: issuer,
            keys: keys, clock: clock
        ).addRoutes(to: strangers)
        sessions.addSignedInRoutes(to: users)
        let privacy = PrivacyAPI(requests: database.privacy, clock: clock, onAccepted: { deletions.wake() })
        privacy.addRoutes(to: strangers)
        privacy.addSignedInRoutes(to: users)
        DeviceAPI(
            devices: database.devices, keys: keys, webPushKey: webPushKey, pushOrigins: configuration.notices.origins,
            clock: clock
        ).addRoutes(to: users)
        PreferenceAPI(preferences: database.preferences, clock: clock).addRoutes(to: users)
        NotificationPreferenceAPI(preferences: database.notificationPreferences, keys: keys, clock: clock)
            .addRoutes(to: users)
        AuditAPI(audit: database.audit, keys: keys).addRoutes(to: users)
        ConnectorAPI(google: google, connectors: database.connectors).addRoutes(to: users)
        BriefAPI(briefs: database.briefs, keys: keys, clock: clock).addRoutes(to: users)
        AlertAPI(
            alerts: database.alerts, keys: keys, onFeedback: { database.metrics.count(.urgentFeedback(urgent: $0)) }
        ).addRoutes(to: users)
        ConfirmationAPI(confirmations: database.confirmations, keys: keys, clock: clock).addRoutes(to: users)
        ExportAPI(database: database, keys: keys, clock: clock).addRoutes(to: users)
        MetricsAPI(metrics: database.metrics, requests: database.privacy, workers: database.workers, clock: clock)
            .addRoutes(to: router)
        HealthAPI(
            database: database, enclave: enclave, keyService: keyService, evidence: configuration.evidence.kind,
            clock: clock
        ).addRoutes(to: router)
        let document = try OpenAPIDocument.json()
        router.get("openapi.json") { _, _ in Response.json(document) }
    }
}
