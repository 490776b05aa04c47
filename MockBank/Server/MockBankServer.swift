import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging

/// The mock bank's settings.
public struct MockBankConfiguration: Sendable {
    /// The port to listen on; 0 for any free port.
    public var port = 0
    public var usesTLS = false
    public var username = "robin.ashdown"
    public var password = "correct horse"
    public var oneTimeCode = "123456"
    public var memorableWord = "lighthouse"
    public var pin = "407319"
    /// The token of the interfaces that want one.
    public var token = "mock-token-7Qk2vR9sLw4XeT1n"
    /// Checks a code instead of comparing it with ``oneTimeCode``, for a customer with an authenticator.
    public var acceptsCode: (@Sendable (String) -> Bool)?
    /// The maximum number of characters in the field for the code.
    public var codeLength = 6
    public var scenario = Scenario.happy
    /// The host, with its port, that the hostile scenario tries to reach.
    public var foreignHost = "collector.example"
    /// The current moment. The latest statement is for the month before it.
    public var today = Date()

    /// Hears of each request, by its method and its path with the query, when it arrives.
    public var onRequest: (@Sendable (String, String) -> Void)?
    /// Hears of each page, by the name of its template and its HTML, when it is made.
    public var onPage: (@Sendable (_ template: String, _ html: String) -> Void)?

    public init() {}
}

/// The reason why the mock bank cannot start.
public struct MockBankError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

/// *Meridian Savings*, a fictional bank that is served only on this machine.
public actor MockBankServer {
    /// The bank's origin, such as `https://localhost:40123`.
    public nonisolated let url: String
    /// The certificate of the authority that signed the bank's certificate, in PEM; nil over plain HTTP.
    public nonisolated let authorityPEM: String?
    /// The bank's public key in the form that scripts pin; nil over plain HTTP.
    public nonisolated let publicKeyPin: String?
    private let task: Task<Void, any Error>

    /// The same bank at `127.0.0.1`, which is another origin.
    public nonisolated var otherURL: String { url.replacing("://localhost:", with: "://127.0.0.1:") }

    /// Returns the PDF that the bank serves for a month of the customer's first account.
    /// - Parameter account: the id of an account; the first one for others.
    public static func statement(account: String = "everyday", month: Int, year: Int) -> [UInt8] {
        let account = Account.all.first { $0.id == account } ?? Account.all[0]
        return Statement(account: account, month: Month(year: year, month: month)).pdf()
    }

    /// Returns the file that the scenario `every-kind` serves for a month of an account.
    ///
    /// - Parameters:
    ///   - format: the name in the address, such as `camt`; a PDF for others.
    ///   - days: the days of the month, as the scenario `day-ranges` serves them.
    public static func file(
        account: String, month: Int, year: Int, as format: String, days: ClosedRange<Int> = 1...31
    ) -> [UInt8] {
        let account = Account.all.first { $0.id == account } ?? Account.all[0]
        return Statement(account: account, month: Month(year: year, month: month)).during(days)
            .file(DocumentFormat(rawValue: format) ?? .pdf)
    }

    private init(url: String, certificates: Certificates?, task: Task<Void, any Error>) {
        self.url = url
        authorityPEM = certificates?.authorityPEM
        publicKeyPin = certificates?.publicKeyPin
        self.task = task
    }

    /// Starts the bank and returns when it accepts requests.
    ///
    /// - Throws: ``MockBankError`` if the port is in use, `CancellationError` if the caller is cancelled.
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
                message:
                    "cannot listen on port \(configuration.port); stop the program that uses it, or choose another port"
            )
        }
        throw MockBankError(message: "the mock bank ended while it was starting")
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
