import Foundation
import Hummingbird

/// *Meridian Savings* as a FinTS server on this machine: messages in Base64 over HTTP (FinTS 3.0, Security,
/// Sicherheitsverfahren PIN/TAN, 2020-07-10: communication over HTTPS).
package actor FinTSBankServer {
    /// The address that a bank's file names, such as `http://localhost:40123/fints`.
    package nonisolated let url: String
    package nonisolated let authorityPEM: String?
    /// The bank behind the server, with what happened.
    package nonisolated let bank: FinTSBank
    private let task: Task<Void, any Error>

    private init(_ listener: BankListener, _ bank: FinTSBank) {
        url = listener.url + "/fints"
        authorityPEM = listener.certificates?.authorityPEM
        self.bank = bank
        task = listener.task
    }

    /// The longest message that the bank takes, in bytes of Base64.
    private static let longestMessage = 1 << 20

    /// Starts the bank and returns when it accepts messages.
    ///
    /// - Throws: ``MockBankError`` if the port is in use, `CancellationError` if the caller is cancelled.
    package static func start(_ configuration: FinTSBankConfiguration = .init()) async throws -> FinTSBankServer {
        let bank = FinTSBank(configuration)
        let listener = try await BankListener.start(port: configuration.port, usesTLS: configuration.usesTLS) {
            router in
            router.post("/fints") { request, _ in try await answer(request, bank) }
        }
        return FinTSBankServer(listener, bank)
    }

    private static func answer(_ request: Request, _ bank: FinTSBank) async throws -> Response {
        let body = try await request.body.collect(upTo: longestMessage)
        guard let message = Data(base64Encoded: Data(body.readableBytesView), options: .ignoreUnknownCharacters) else {
            return Response(status: .badRequest)
        }
        guard let answer = bank.answer(to: Array(message)) else {
            // A body that is shorter than announced: the connection ends in its middle.
            return Response(status: .ok, body: ResponseBody { _ in throw MockBankError(message: "cut off") })
        }
        return Response(
            status: .ok, headers: [.contentType: "text/plain"],
            body: .init(byteBuffer: ByteBuffer(string: Data(answer).base64EncodedString())))
    }

    /// Serves until ``stop()``.
    package func run() async throws { try await task.value }

    package func stop() async {
        task.cancel()
        _ = try? await task.value
    }
}
