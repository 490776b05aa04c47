import Foundation
import Hummingbird
import HummingbirdTLS
import KeyVault
import Logging
import Phone
import Secrets

/// The web server of the approval page, which a telephone's browser opens to see, approve and deny requests.
///
///     let server = try PageServer(home: home, services: services, configuration: configuration)
///     try await server.unlock(PassphraseVerification(passphrase))   // or on the page
///     try await server.run { url in print("Open \(url)") }
public struct PageServer: Sendable {
    let state: PageState
    private let home: PhoneHome
    private let configuration: PageServerConfiguration
    private let logger: Logger

    /// - Parameter services: the services of the phone. The page replaces ``PhoneServices/person``.
    /// - Throws: ``PhoneError``.
    public init(
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
    public func unlock(_ verification: any UserVerification) async throws {
        try await state.unlock(verification)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter onReady: is called with the page's address when the page can be opened.
    public func run(onReady: @escaping @Sendable (String) async -> Void = { _ in }) async throws {
        let tls = try SelfSignedCertificate.tls(configuration.security, hostName: configuration.hostName, home: home)
        let state = state
        let application = Application(
            router: PageRoutes(state: state, configuration: configuration).router(),
            server: try tls.map { try .tls(.http1(), tlsConfiguration: $0) } ?? .http1(),
            configuration: .init(
                address: .hostname(configuration.address, port: configuration.port), serverName: "countersign"),
            onServerRunning: { channel in
                await onReady(await state.opened(port: channel.localAddress?.port ?? 0).origin)
            }, logger: logger)
        do {
            // A page that listens for events would keep the server running.
            try await withTaskCancellationHandler {
                try await application.run()
            } onCancel: {
                state.changes.finish()
            }
        } catch {
            await state.stop()
            throw error
        }
        await state.stop()
    }
}
