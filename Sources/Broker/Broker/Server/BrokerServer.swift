import BrokerStore
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import Messages
import NIOCore
import Notifications
import WebServing

/// The ways to tell the owner that something waits.
struct OwnerNotices: Sendable {
    let request: @Sendable (RequestEnvelope) -> Void
    let offer: @Sendable (DocumentOffer) -> Void
    /// Has consents looked for whose end has come near.
    let consents: @Sendable () -> Void

    static let none = OwnerNotices(request: { _ in }, offer: { _ in }, consents: {})
}

typealias BrokerApplication = Application<RouterResponder<BrokerContext>>

/// The HTTP server: its routes, its TLS and the places where it listens.
struct BrokerServer: Sendable {
    let configuration: BrokerConfiguration
    let database: BrokerDatabase
    let keys: BrokerKeys
    let desk: PairingDesk
    let timekeeper: Timekeeper
    let changes: RequestChanges
    let phoneChanges: PhoneChanges
    let metrics: BrokerMetrics
    let policy: CurrentPolicy
    let refused: RefusedTokens
    let tally: AuditTally
    /// The language in which the broker writes to its owner.
    var language = OwnerLanguage()
    /// Nil without TLS.
    var certificate: ServedCertificate?
    /// Reads documents for agents; nil in a broker that reads none.
    var library: (any DocumentLibrary)? = nil
    let logger: Logger

    /// Returns the server of the network and, where the broker has one, that of its socket. Both answer the same routes. Each
    /// has connections of its own, so that a flood from the network takes none of the socket's.
    ///
    /// - Parameters:
    ///   - onReady: called with the port.
    ///   - onSocketReady: called once the socket is there.
    /// - Throws: when the OpenAPI document cannot be read, or the certificate cannot be used.
    func applications(
        notices: OwnerNotices, onReady: @escaping @Sendable (Int) async -> Void,
        onSocketReady: @escaping @Sendable () async -> Void
    ) throws -> (network: BrokerApplication, socket: BrokerApplication?) {
        let connections = OpenConnections(limit: configuration.limits.connections)
        let responder = try router(among: connections, notices: notices).buildResponder()
        let network = application(
            responder, at: .hostname(configuration.host, port: configuration.port),
            .limited(configuration.limits.timeouts, among: connections, tls: certificate?.configuration)
        ) { channel in await onReady(channel.localAddress?.port ?? 0) }
        guard let socket = configuration.socket else { return (network, nil) }
        let own = OpenConnections(limit: configuration.limits.connections)
        let local = application(
            responder, at: .unixDomainSocket(path: socket.file.path),
            .limited(configuration.limits.timeouts, among: own, at: socket)
        ) { _ in await onSocketReady() }
        return (network, local)
    }

    private func application(
        _ responder: BrokerApplication.Responder, at address: BindAddress, _ server: HTTPServerBuilder,
        _ onRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> BrokerApplication {
        // The framework's own messages matter only when something is wrong.
        var quiet = Logger(label: logger.label) { _ in logger.handler }
        quiet.logLevel = max(logger.logLevel, .notice)
        return Application(
            responder: responder, server: server,
            configuration: .init(
                address: address, serverName: "countersign", backlog: 1024,
                availableConnectionsDelegate: .maximum(configuration.limits.connections, logger: quiet)),
            onServerRunning: onRunning, logger: quiet)
    }

    private func router(
        among connections: OpenConnections, notices: OwnerNotices
    ) throws -> Router<BrokerContext> {
        let router = Router(context: BrokerContext.self)
        router.add(
            middleware: ErrorAnswers(
                routes: KnownRoutes(try routes()), metrics: metrics,
                refused: refused))
        try addRoutes(to: router, among: connections, notices: notices)
        return router
    }

    /// Lists the routes, read from a router that serves no connection.
    func routes() throws -> [KnownRoutes.Route] {
        let router = Router(context: BrokerContext.self)
        try addRoutes(to: router, among: OpenConnections(limit: 1), notices: .none)
        return router.routes.map { route in
            KnownRoutes.Route(
                method: route.method.rawValue, path: route.path.description.split(separator: "/").map(String.init))
        }
    }

    private func addRoutes(
        to router: Router<BrokerContext>, among connections: OpenConnections,
        notices: OwnerNotices
    ) throws {
        let limits = RateLimits(configuration.limits.rates, metrics: metrics)
        let tokenless = router.group().add(middleware: KnownHosts(configuration))
        OperationAPI(database: database, metrics: metrics).addRoutes(to: tokenless)
        try OpenAPIRoute().addRoute(to: tokenless)
        let clock = timekeeper.clock
        let store = database.requests
        let registry = DeviceRegistry(
            database, sealing: configuration.sealing, standard: configuration.defaultDevice)
        let approvals = SignedApprovals(
            database, server: keys.identity.server.id, policy: policy,
            hasDefaultDevice: configuration.defaultDevice != nil)
        let issuer = RequestIssuer(
            configuration: configuration, store: store, timekeeper: timekeeper, approvals: approvals, logger: logger)
        PhoneChangesAPI(
            changes: phoneChanges, registry: registry,
            polls: WaitingPolls(atMost: configuration.limits.waitingPollsPerDevice), limits: limits
        ).addRoute(to: router)
        TokenProofAPI(
            agentToken: configuration.agentToken, agents: database.agents, registry: registry, limits: limits
        ).addRoute(to: router)
        AgentAPI(
            configuration: configuration, store: store, banks: database.banks, timekeeper: timekeeper,
            changes: changes, phoneChanges: phoneChanges, issuer: issuer,
            polls: WaitingPolls(atMost: configuration.limits.waitingPollsPerAgent), logger: logger,
            filed: FiledPlaces(library: library), policy: policy, nudge: notices.request
        ).addRoutes(
            to: router.group().add(
                middleware: AgentAuthorization(
                    token: configuration.agentToken, agents: database.agents, limits: limits)))
        let documents = DocumentsAPI(store: store, library: library, policy: policy, tally: tally)
        let readers = router.group().add(
            middleware: AgentAuthorization(token: configuration.agentToken, agents: database.agents, limits: limits))
        documents.addRoutes(to: readers)
        ReceiptAPI(
            store: store, receipts: database.receipts, sealing: configuration.sealing, server: keys.identity.server.id
        ).addRoute(to: readers)
        DocumentFileAPI(documents: documents, audit: database.audit, clock: clock).addRoute(to: readers)
        OffersAPI(
            configuration: configuration, offers: database.offers, banks: database.banks, timekeeper: timekeeper,
            logger: logger, announce: notices.offer, phoneChanges: phoneChanges, policy: policy
        ).addRoutes(
            to: router.group().add(
                middleware: AgentAuthorization(
                    token: configuration.agentToken, agents: database.agents, limits: limits)))
        PhoneOffersAPI(
            configuration: configuration, offers: database.offers, banks: database.banks,
            issuer: issuer, timekeeper: timekeeper, changes: changes, phoneChanges: phoneChanges, logger: logger
        ).addRoutes(
            to: router.group().add(
                middleware: PhoneAuthorization(
                    registry: registry, clock: clock, limits: limits, connections: connections)))
        OwnerRequestsAPI(
            configuration: configuration, store: store, agents: database.agents, banks: database.banks, issuer: issuer,
            timekeeper: timekeeper, changes: changes, phoneChanges: phoneChanges, logger: logger
        ).addRoutes(
            to: router.group().add(
                middleware: PhoneAuthorization(
                    registry: registry, clock: clock, limits: limits, connections: connections)))
        PhoneAPI(
            configuration: configuration, store: store, banks: database.banks, timekeeper: timekeeper, changes: changes,
            phoneChanges: phoneChanges, registry: registry, approvals: approvals, language: language,
            owner: database.owner, notices: notices, logger: logger
        ).addRoutes(
            to: router.group().add(
                middleware: PhoneAuthorization(
                    registry: registry, clock: clock, limits: limits, connections: connections)))
        ClientsAPI(
            clients: database.clients, server: keys.identity.server.id, phoneChanges: phoneChanges, clock: clock,
            logger: logger
        ).addRoutes(
            to: router.group().add(
                middleware: PhoneAuthorization(
                    registry: registry, clock: clock, limits: limits, connections: connections)))
        PairingAPI(
            store: database.pairings, desk: desk, keys: keys, sealing: configuration.sealing,
            certificate: certificate, bankID: configuration.bankID ?? OfferedBank.standardID, clock: clock,
            logger: logger
        ).addRoutes(to: router.group().add(middleware: PairingLimit(limits: limits)))
    }

    /// Explains why the server cannot listen.
    func explanation(of error: IOError) -> String {
        switch error.errnoCode {
        case EADDRINUSE: "port \(configuration.port) is in use; stop the program that uses it, or set BROKER_PORT"
        case EADDRNOTAVAIL: "\(configuration.host) is not an address of this machine; set BROKER_HOST"
        case EACCES: "port \(configuration.port) needs privileges; set BROKER_PORT to 1024 or more"
        default: "the broker cannot listen on \(configuration.host), port \(configuration.port): \(error)"
        }
    }
}
