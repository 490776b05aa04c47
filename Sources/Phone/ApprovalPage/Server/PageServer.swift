import Foundation
import Hummingbird
import HummingbirdCore
import KeyVault
import Logging
import Messages
import NIOCore
import Phone
import PhoneStore
import Secrets
import Storage
import WebServing

/// The web server of the approval page, which a telephone's browser opens to see, approve and deny requests.
///
///     let server = try PageServer(home: home, services: services, configuration: configuration)
///     try await server.unlock(PassphraseVerification(passphrase))   // or on the page
///     try await server.run { page in print("Open \(page.address.revealed())") }
package struct PageServer: Sendable {
    /// The time for which a code that opens the page is valid, in seconds.
    package static let codeLifetime: TimeInterval = 15 * 60

    let state: PageState
    private let home: PhoneHome
    private let configuration: PageServerConfiguration
    private let logger: Logger

    /// - Parameter services: the services of the phone. The page replaces ``PhoneServices/person``.
    /// - Throws: ``PhoneError``.
    package init(
        home: PhoneHome, services: PhoneServices, configuration: PageServerConfiguration, logger: Logger? = nil
    ) throws {
        try configuration.check()
        guard home.vault.exists else {
            throw PhoneError(.notSetUp, "\(home.folder.path) has no vault; run: countersign phone setup")
        }
        self.home = home
        self.configuration = configuration
        state = try PageState(home: home, services: services, configuration: configuration)
        if let logger {
            self.logger = logger
        } else {
            var quiet = Logger(label: "countersign.phone")
            quiet.logLevel = .warning
            self.logger = quiet
        }
    }

    /// Unlocks the phone, so that requests appear before anyone signs in.
    package func unlock(_ verification: any UserVerification) async throws {
        try await state.unlock(verification)
    }

    /// Sets a function that is called for each new request that waits for the owner.
    package func onRequest(_ body: @escaping @Sendable (AgentName?) -> Void) async { await state.onRequest(body) }

    /// Serves until the task is cancelled, or until the owner has had the phone deleted on the page.
    ///
    /// On this machine's own addresses the page has to get 127.0.0.1 and ::1: otherwise another user could take the one
    /// that is free and imitate the page for browsers that try it first.
    ///
    /// - Parameters:
    ///   - onReady: is called when the page can be opened.
    ///   - onNotice: is called with what the owner should hear about at once, such as a new passkey.
    /// - Returns: what became of a phone that was deleted; nil for one that was not.
    /// - Throws: ``PhoneError`` when an address cannot be had.
    @discardableResult
    package func run(
        onReady: @escaping @Sendable (OpenedPage) async -> Void = { _ in },
        onNotice: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> PhoneDeletion? {
        let lock = try home.claimPage()
        defer { withExtendedLifetime(lock) {} }
        let tls = try PageTLS(configuration, home: home)
        let connections = OpenConnections(limit: configuration.connections)
        let server = HTTPServerBuilder.limited(configuration.timeouts, among: connections, tls: tls.configuration)
        let state = state
        await state.onNotice(onNotice)
        try await state.recallBrowsers()
        try await state.recallLanguage()
        do {
            // A page that listens for events would keep the server running.
            try await withTaskCancellationHandler {
                try await serve(server, own: tls.own, onReady: onReady)
            } onCancel: {
                state.changes.finish()
            }
        } catch {
            await state.stop()
            throw error
        }
        await state.stop()
        return await state.deletion
    }

    private func serve(
        _ server: HTTPServerBuilder, own: OwnCertificate?, onReady: @escaping @Sendable (OpenedPage) async -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            var (port, notices) = try await listen(server, own?.authority, in: &group)
            if let own { group.addTask { await keepRenewed(own) } }
            group.addTask { for await _ in state.lastAnswer.stream {} }
            let site = await state.opened(port: port)
            try await state.store.notePage(origin: site.origin)
            if let own, own.isNew {
                notices.append(own.authority.firstNotice(at: site.origin))
                if own.authority.version > 1 { try await state.store.audit.record(own.authority.replacement) }
            }
            let code = try await state.store.makeTerminalCode(for: .openPage, lifetime: Self.codeLifetime)
            await onReady(
                OpenedPage(
                    origin: site.origin, port: port, address: OpenedPage.address(at: site.origin, with: code.text),
                    notices: notices))
            // The first listener that ends ends the others, and so does the last answer.
            try await group.next()
            if await !state.isForgotten { try await state.store.notePage(origin: nil) }
        }
    }

    /// Starts one server for each address, all at the same port.
    private func listen(
        _ server: HTTPServerBuilder, _ authority: PageAuthority?,
        in group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws -> (port: Int, notices: [String]) {
        var notices: [String] = []
        var port = configuration.port
        var addresses = configuration.addresses[...]
        while let address = addresses.popFirst() {
            switch await start(server, authority, at: address, port, in: &group) {
            case .success(let bound): port = bound
            case .failure(let error):
                guard let lack = Self.lackOfIPv6(error, at: address) else {
                    throw explanation(of: error, address, port)
                }
                notices.append(lack.notice)
                if let instead = lack.instead, !addresses.contains(instead) { addresses.append(instead) }
            }
        }
        return (port, notices)
    }

    /// Returns what a machine without IPv6 goes without, and the address to listen on instead; nil when this is not why the
    /// address cannot be had.
    private static func lackOfIPv6(_ error: any Error, at address: String) -> (notice: String, instead: String?)? {
        guard let error = error as? IOError,
            [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT].contains(error.errnoCode)
        else { return nil }
        return switch address {
        case "::1": ("this machine has no IPv6 loopback address; the page is open at 127.0.0.1 only", nil)
        case PageServerConfiguration.everyNetwork:
            (
                "this machine has no IPv6; the page is open on its IPv4 networks only",
                PageServerConfiguration.everyIPv4Network
            )
        default: nil
        }
    }

    /// Starts a server and waits until it listens, or could not.
    private func start(
        _ server: HTTPServerBuilder, _ authority: PageAuthority?, at address: String, _ port: Int,
        in group: inout ThrowingTaskGroup<Void, any Error>
    ) async -> Result<Int, any Error> {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Result<Int, any Error>.self)
        let application = Application(
            router: PageRoutes(state: state, configuration: configuration, authority: authority).router(),
            server: server,
            configuration: .init(
                address: .hostname(address, port: port), serverName: "countersign", backlog: 1024,
                availableConnectionsDelegate: .maximum(configuration.connections, logger: logger)),
            onServerRunning: { channel in outcome.yield(.success(channel.localAddress?.port ?? 0)) }, logger: logger)
        group.addTask {
            do {
                try await application.run()
                outcome.yield(.failure(CancellationError()))
            } catch {
                outcome.yield(.failure(error))
                // The caller throws its own explanation, or goes on without this address.
                guard !(error is IOError) else { return await Self.untilCancelled() }
                throw error
            }
        }
        var iterator = outcomes.makeAsyncIterator()
        return await iterator.next() ?? .failure(CancellationError())
    }

    /// Renews the certificate when it ends soon, until the task is cancelled.
    private func keepRenewed(_ own: OwnCertificate) async {
        while (try? await Task.sleep(for: OwnCertificate.interval)) != nil {
            do {
                guard try own.renew() else { continue }
                try await state.notice(AuditEvent(.pageCertificateRenewed), "The page's certificate was renewed.")
            } catch {
                logger.error("the page's certificate cannot be renewed: \(error)")
            }
        }
    }

    private static func untilCancelled() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }

    private func explanation(of error: any Error, _ address: String, _ port: Int) -> any Error {
        guard let error = error as? IOError else { return error }
        let problem =
            switch error.errnoCode {
            case EADDRINUSE:
                "port \(port) of \(address) is in use by another program, which could imitate the page; stop it, or "
                    + "choose another port with --port; for the page of countersign up, change “port” of “phone” in its config.json"
            case EADDRNOTAVAIL: "\(address) is not an address of this machine; choose another with --address"
            case EACCES: "port \(port) needs privileges; choose one of 1024 or more with --port"
            default: "the page cannot listen on \(address), port \(port): \(error)"
            }
        return PhoneError(.invalidSetting, problem)
    }
}
