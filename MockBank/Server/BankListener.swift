import Hummingbird
import HummingbirdCore
import Logging
import WebServing

/// A server of the mock bank on this machine, from its start on.
struct BankListener: Sendable {
    /// The origin, such as `https://localhost:40123`.
    let url: String
    /// Nil over plain HTTP.
    let certificates: Certificates?
    let task: Task<Void, any Error>

    /// Starts a server and returns when it accepts requests.
    ///
    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - addRoutes: adds the routes before the start.
    /// - Throws: ``MockBankError`` if the port is in use, `CancellationError` if the caller is cancelled.
    static func start(
        port: Int, usesTLS: Bool, _ addRoutes: @escaping @Sendable (Router<BasicRequestContext>) -> Void
    ) async throws -> BankListener {
        let certificates = usesTLS ? try Certificates() : nil
        let (ports, report) = AsyncStream<Int>.makeStream()
        let task = Task {
            defer { report.finish() }
            try await serve(port, certificates, addRoutes) { report.yield($0) }
        }
        for await port in ports {
            return BankListener(
                url: "\(usesTLS ? "https" : "http")://localhost:\(port)", certificates: certificates, task: task)
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
                message: "cannot listen on port \(port); stop the program that uses it, or choose another port")
        }
        throw MockBankError(message: "the mock bank ended while it was starting")
    }

    private static func serve(
        _ port: Int, _ certificates: Certificates?, _ addRoutes: (Router<BasicRequestContext>) -> Void,
        ready: @escaping @Sendable (Int) -> Void
    ) async throws {
        let router = Router()
        addRoutes(router)
        var logger = Logger(label: "mockbank")
        logger.logLevel = .critical
        let application = Application(
            router: router, server: .stoppable(tls: certificates?.tls),
            configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: "meridian"),
            onServerRunning: { ready($0.localAddress?.port ?? 0) }, logger: logger)
        try await application.run()
    }
}
