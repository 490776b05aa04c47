import Clocks
import CurlClient
import Encodings
import Foundation
import Secrets

/// A failed call of the Bot API. The text never contains the bot's token.
package struct TelegramError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// 429, with the pause that the server asks for.
        case tooMany(after: Duration)
        /// 409: another program receives this bot's updates.
        case conflict
        /// The server or the network failed. A later call may succeed.
        case unreachable
        /// The call would fail again.
        case refused
    }

    package let kind: Kind
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = Redactor.redact(description)
    }
}

/// A bot's methods (Bot API, "Making requests"). Each address contains the token, so no address is ever shown.
package struct TelegramBot: Sendable {
    private let configuration: TelegramConfiguration
    private let sending: CurlSession
    /// A session makes one exchange at a time, so long polling has a session of its own.
    private let listening: CurlSession

    package init(_ configuration: TelegramConfiguration) {
        self.configuration = configuration
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.limits.connect = .seconds(10)
        curl.limits.whole = .seconds(20)
        curl.limits.bodySize = 4 << 20
        sending = CurlSession(curl)
        curl.limits.firstByte = configuration.timing.poll + .seconds(15)
        curl.limits.whole = configuration.timing.poll + .seconds(20)
        listening = CurlSession(curl)
    }

    package func close() async {
        await sending.close()
        await listening.close()
    }

    /// - Returns: the bot's user name.
    package func name() async throws(TelegramError) -> String {
        try await call("getMe", [:])["username"]?.stringValue ?? "?"
    }

    /// - Returns: the new message's id.
    func sendMessage(_ text: String, to chat: String) async throws(TelegramError) -> String {
        let result = try await call("sendMessage", ["chat_id": .string(chat), "text": .string(text)])
        guard let id = result["message_id"]?.intValue else {
            throw TelegramError(.refused, "sendMessage was answered without a message")
        }
        return String(id)
    }

    /// Replaces the text of a message that this bot has sent. A message that has this text already is left as it is.
    func edit(message id: Int, in chat: String, to text: String) async throws(TelegramError) {
        do {
            _ = try await call(
                "editMessageText",
                ["chat_id": .string(chat), "message_id": .number(Double(id)), "text": .string(text)])
        } catch  where error.kind == .refused && error.description.contains("message is not modified") {
            return
        }
    }

    /// Waits for messages from people.
    ///
    /// - Parameter offset: the id of the first update to return. Telegram counts earlier updates as received.
    func updates(from offset: Int) async throws(TelegramError) -> [TelegramUpdate] {
        let seconds = Int(configuration.timing.poll.components.seconds)
        let result = try await call(
            "getUpdates",
            over: listening,
            [
                "offset": .number(Double(offset)), "timeout": .number(Double(seconds)), "limit": 100,
                "allowed_updates": ["message"],
            ])
        return (result.arrayValue ?? []).compactMap(TelegramUpdate.init)
    }

    private func call(
        _ method: String, over session: CurlSession? = nil, _ parameters: JSONValue
    ) async throws(TelegramError) -> JSONValue {
        let address = "\(configuration.baseURL)/bot\(configuration.token.revealed())/\(method)"
        let response: HTTPResponse
        do {
            response = try await (session ?? sending).send(
                HTTPRequest(
                    "POST", address, headers: [HTTPHeader("Content-Type", "application/json")],
                    body: parameters.compactBytes()))
        } catch {
            throw TelegramError(.unreachable, "\(method): \(error)")
        }
        let answer = try? JSONReader.read(response.body, limits: JSONLimits(size: 4 << 20))
        if response.status == 200, answer?["ok"] == true, let result = answer?["result"] { return result }
        let code = answer?["error_code"]?.intValue ?? response.status
        let text = "\(method) was answered \(code) \(answer?["description"]?.stringValue?.prefix(200) ?? "")"
        switch code {
        case 429:
            let seconds = answer?["parameters"]?["retry_after"]?.intValue ?? 5
            throw TelegramError(.tooMany(after: .seconds(min(max(seconds, 1), 3600))), text)
        case 409: throw TelegramError(.conflict, text)
        case 200, 500...: throw TelegramError(.unreachable, text)
        default: throw TelegramError(.refused, text)
        }
    }
}

/// A message to the bot. It is not authenticated, so it decides nothing.
struct TelegramUpdate: Sendable, Hashable {
    let id: Int
    /// The chat; nil when the update is not a message.
    let chatID: String?
    let text: String?
    /// The language of the person's Telegram, as an IETF tag, where the person wrote in a chat with the bot alone: the members of a
    /// group have several.
    let language: String?

    init?(_ json: JSONValue) {
        guard let id = json["update_id"]?.intValue else { return nil }
        self.id = id
        chatID = json["message"]?["chat"]?["id"]?.intValue.map(String.init)
        text = json["message"]?["text"]?.stringValue
        let sender = json["message"]?["from"]
        language = sender?["id"]?.intValue.map(String.init) == chatID ? sender?["language_code"]?.stringValue : nil
    }

    /// The command in lower case: `/start` for `/start@some_bot now`.
    var command: String? {
        guard let word = text?.split(whereSeparator: \.isWhitespace).first, word.hasPrefix("/") else { return nil }
        return word.split(separator: "@").first?.lowercased()
    }
}
