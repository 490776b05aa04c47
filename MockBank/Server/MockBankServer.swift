import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging

/// How the bank behaves.
public struct MockBankConfiguration: Sendable {
    /// 0 for a free one.
    public var port = 0
    public var usesTLS = false
    public var username = "robin.ashdown"
    public var password = "correct horse"
    public var oneTimeCode = "123456"
    /// Decides about a code instead of ``oneTimeCode``: for a customer with an authenticator.
    public var acceptsCode: (@Sendable (String) -> Bool)?
    /// The most characters that the field for the code takes.
    public var codeLength = 6
    public var scenario = Scenario.happy
    /// Statements end with the month before this moment.
    public var today = Date()

    public init() {}
}

/// A mock bank that cannot start.
public struct MockBankError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

/// *Meridian Savings*, a bank that is not there: served on this machine alone.
public actor MockBankServer {
    /// Such as `https://localhost:40123`.
    public nonisolated let url: String
    /// The authority that signed the bank's certificate, PEM; nil over plain HTTP.
    public nonisolated let authorityPEM: String?
    /// The bank's public key, as a script pins it; nil over plain HTTP.
    public nonisolated let publicKeyPin: String?
    private let task: Task<Void, any Error>

    /// The same bank under its other name, `127.0.0.1`, which is another origin.
    public nonisolated var otherURL: String { url.replacing("://localhost:", with: "://127.0.0.1:") }

    /// The PDF that the bank gives out for a month of the customer's first account.
    public static func statement(month: Int, year: Int) -> [UInt8] {
        Statement(account: Account.all[0], month: Month(year: year, month: month)).pdf()
    }

    private init(url: String, certificates: Certificates?, task: Task<Void, any Error>) {
        self.url = url
        authorityPEM = certificates?.authorityPEM
        publicKeyPin = certificates?.publicKeyPin
        self.task = task
    }

    /// Starts serving, and returns when the bank answers.
    ///
    /// - Throws: ``MockBankError`` when the port is taken, `CancellationError` when the caller is cancelled.
    public static func start(_ configuration: MockBankConfiguration = .init()) async throws -> MockBankServer {
        let certificates = configuration.usesTLS ? try Certificates() : nil
        let (ports, report) = AsyncStream<Int>.makeStream()
        let task = Task {
            defer { report.finish() }
            try await serve(configuration, certificates) { report.yield($0) }
        }
        for await port in ports {
            let scheme = configuration.usesTLS ? "https" : "http"
            return MockBankServer(url: "\(scheme)://localhost:\(port)", certificates: certificates, task: task)
        }
        if Task.isCancelled {
            task.cancel()
            _ = try? await task.value
            throw CancellationError()
        }
        do {
            try await task.value
        } catch {
            throw MockBankError(
                message: "port \(configuration.port) cannot be listened on; stop what is there, or take another port")
        }
        throw MockBankError(message: "the mock bank ended before it began")
    }

    /// Serves until ``stop()``.
    public func run() async throws { try await task.value }

    public func stop() async {
        task.cancel()
        _ = try? await task.value
    }

    private static func serve(
        _ configuration: MockBankConfiguration, _ certificates: Certificates?, ready: @escaping @Sendable (Int) -> Void
    ) async throws {
        let router = Router()
        BankRoutes(configuration: configuration).add(to: router)
        var logger = Logger(label: "mockbank")
        logger.logLevel = .critical
        let server: HTTPServerBuilder =
            try certificates.map { try .tls(.http1(), tlsConfiguration: $0.tls) } ?? .http1()
        let application = Application(
            router: router, server: server,
            configuration: .init(address: .hostname("127.0.0.1", port: configuration.port), serverName: "meridian"),
            onServerRunning: { ready($0.localAddress?.port ?? 0) }, logger: logger)
        try await application.run()
    }
}
