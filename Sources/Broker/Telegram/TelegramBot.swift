import Clocks
import CurlClient
import Foundation
import JSON
import Secrets

/// Why the Bot API did not do what it was asked. The text never holds the bot's token.
struct TelegramError: Error, Sendable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        /// 429, with the time that the server asks for.
        case tooMany(after: Duration)
        /// 409: another program receives this bot's updates.
        case conflict
        /// The server, or the way to it, is out of order; later it may work.
        case unreachable
        /// It will not work the next time either.
        case refused
    }

    let kind: Kind
    let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = Redactor.redact(description)
    }
}

/// A bot's methods (Bot API, “Making requests”). The token is part of each address, so no address is ever shown.
struct TelegramBot: Sendable {
    private let configuration: TelegramConfiguration
    private let talking: CurlSession
    /// A session makes one exchange after the other, so listening, which takes its time, has one of its own.
    private let listening: CurlSession

    init(_ configuration: TelegramConfiguration) {
        self.configuration = configuration
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.limits.connect = .seconds(10)
        curl.limits.whole = .seconds(20)
        curl.limits.bodySize = 4 << 20
        talking = CurlSession(curl)
        curl.limits.firstByte = configuration.timing.poll + .seconds(15)
        curl.limits.whole = configuration.timing.poll + .seconds(20)
        listening = CurlSession(curl)
    }

    func close() async {
        await talking.close()
        await listening.close()
    }

    /// - Returns: the bot's user name.
    func name() async throws(TelegramError) -> String {
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

    /// Waits for messages from people.
    ///
    /// - Parameter offset: the first update that is wanted; those before it count as received.
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
            response = try await (session ?? talking).send(
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

/// A message that somebody wrote to the bot. Nobody's word counts for anything here.
struct TelegramUpdate: Sendable, Hashable {
    let id: Int
    /// The chat and its text, where the update is a message with text.
    let chatID: String?
    let text: String?

    init?(_ json: JSONValue) {
        guard let id = json["update_id"]?.intValue else { return nil }
        self.id = id
        chatID = json["message"]?["chat"]?["id"]?.intValue.map(String.init)
        text = json["message"]?["text"]?.stringValue
    }

    /// `/start` of `/start@some_bot now`, in lower case.
    var command: String? {
        guard let word = text?.split(whereSeparator: \.isWhitespace).first, word.hasPrefix("/") else { return nil }
        return word.split(separator: "@").first?.lowercased()
    }
}
