import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import WebServing

/// The settings of the mock.
package struct MockGoogleConfiguration: Sendable {
    /// The port to listen on; 0 for any free port.
    package var port = 0
    package var clientID = "mock-client"
    /// Nil for a client without a secret, as on iOS.
    package var clientSecret: String? = "mock-client-secret"
    /// The only values to which a browser is sent back.
    package var redirectURIs = ["alfred://oauth/google/callback"]
    /// The seconds for which an access token counts.
    package var accessTokenSeconds = 3599
    /// Reads the time; tests set it.
    package var now: @Sendable () -> Date = { Date() }

    package init() {}
}

/// A mock of Google on this machine: consent, tokens, a calendar and a mailbox.
///
/// It checks what Google checks: the client, the redirect value, PKCE, that a code is redeemed once, and that a call's token
/// has the scope. Its errors have Google's forms.
package actor MockGoogleServer {
    /// Such as `http://127.0.0.1:40123`.
    package nonisolated let url: String
    /// The account that the mock serves, for tests to fill and to look at.
    package nonisolated let account: MockAccount
    private let task: Task<Void, any Error>

    private init(url: String, account: MockAccount, task: Task<Void, any Error>) {
        self.url = url
        self.account = account
        self.task = task
    }

    /// Starts the mock and returns when it accepts requests.
    package static func start(_ configuration: MockGoogleConfiguration = .init()) async throws -> MockGoogleServer {
        let account = MockAccount(configuration)
        let (ports, report) = AsyncStream<Int>.makeStream()
        let task = Task {
            defer { report.finish() }
            let router = Router()
            OAuthRoutes(account: account, configuration: configuration).add(to: router)
            DataRoutes(account: account).add(to: router)
            var logger = Logger(label: "mock-google")
            logger.logLevel = .critical
            try await Application(
                router: router, server: .stoppable(),
                configuration: .init(address: .hostname("127.0.0.1", port: configuration.port), serverName: "mock"),
                onServerRunning: { report.yield($0.localAddress?.port ?? 0) }, logger: logger
            ).run()
        }
        for await port in ports {
            return MockGoogleServer(url: "http://127.0.0.1:\(port)", account: account, task: task)
        }
        try await task.value
        throw CancellationError()
    }

    package func stop() async {
        task.cancel()
        _ = try? await task.value
    }
}
