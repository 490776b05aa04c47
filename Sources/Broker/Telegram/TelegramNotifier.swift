import CurlClient
import Foundation
import JSON
import Logging
import Secrets
import Signer

/// Nudges the person through a bot (specification, section 14). Nothing that Telegram says counts for anything, and its
/// failures are never in the way of a request.
actor TelegramNotifier {
    private let configuration: TelegramConfiguration
    private let http: CurlSession
    private let logger: Logger

    init(_ configuration: TelegramConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.limits.whole = .seconds(20)
        http = CurlSession(curl)
    }

    /// - Returns: the message's id, when it was sent.
    func nudge(_ envelope: RequestEnvelope) async -> String? {
        await send(
            "Countersign: a statement for \(envelope.period) is asked for (request \(envelope.requestID.short)). "
                + "Open your phone’s approval to see it; it waits until \(envelope.approvalExpiresAt).")
    }

    func tellCompletion(of id: RequestID) async {
        _ = await send("Countersign: request \(id.short) is complete. (For information only.)")
    }

    func close() async { await http.close() }

    private func send(_ text: String) async -> String? {
        let body: JSONValue = ["chat_id": .string(configuration.chatID), "text": .string(text)]
        let address = "\(configuration.baseURL)/bot\(configuration.token.revealed())/sendMessage"
        do {
            let response = try await http.send(
                HTTPRequest(
                    "POST", address, headers: [HTTPHeader("Content-Type", "application/json")],
                    body: try body.canonicalBytes()))
            guard response.status == 200, let json = try? JSONReader.read(response.body) else {
                logger.warning("Telegram refused the message", metadata: ["status": "\(response.status)"])
                return nil
            }
            return json["result"]?["message_id"]?.intValue.map(String.init)
        } catch {
            logger.warning("Telegram was not reached", metadata: ["error": "\(Redactor.redact("\(error)"))"])
            return nil
        }
    }
}
