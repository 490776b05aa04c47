import Encodings
import Foundation
import Hummingbird
import NIOCore

/// A Bot API server on loopback: one bot, a few chats, long polling, and faults on demand.
///
/// It answers as Telegram does; another suite checks that with python-telegram-bot.
package actor FakeTelegram {
    package static let token = "123456789:AAF-fake_token_of_the_tests_0123456789"
    package static let chat = 4242

    package struct Sent: Sendable, Hashable {
        package let chat: String
        package let text: String
    }

    package enum Fault: Sendable, Hashable {
        case tooMany(after: Int)
        case conflict
        /// 502, with a page that is not JSON.
        case broken
        /// The connection ends without an answer.
        case lost
        /// 403, as for a chat that blocked the bot.
        case blocked
    }

    package private(set) var sent: [Sent] = []
    /// The present texts of the messages that the bot has sent, by their ids.
    package private(set) var texts: [Int: String] = [:]
    private(set) var calls: [String] = []
    private var chats: Set<Int> = [FakeTelegram.chat, 777]
    private var updates: [JSONValue] = []
    private var faults: [String: [Fault]] = [:]
    private var held: Set<String> = []
    private var nextUpdate = 1001
    private var nextMessage = 1
    private var pollers = 0

    // MARK: For tests

    package init() {}

    /// Makes the next calls of a method fail.
    package func fail(_ method: String, _ faults: Fault...) { self.faults[method, default: []] += faults }

    /// Keeps the calls of a method waiting for their answers, until ``release(_:)``.
    package func hold(_ method: String) { held.insert(method) }

    package func release(_ method: String) { held.remove(method) }

    /// Writes a message to the bot.
    ///
    /// - Parameter language: that of the person's Telegram, as an IETF tag.
    package func write(_ text: String, in chat: Int = FakeTelegram.chat, language: String = "en") {
        let message = message(text, in: chat, from: Self.person(chat, language))
        var members: [String: JSONValue] = ["update_id": .number(Double(nextUpdate)), "message": message]
        if text.hasPrefix("/"), case .object(var parts) = message {
            let length = text.prefix { $0 != " " }.utf16.count
            parts["entities"] = [["type": "bot_command", "offset": 0, "length": .number(Double(length))]]
            members["message"] = .object(parts)
        }
        updates.append(.object(members))
        nextUpdate += 1
    }

    package func count(of method: String) -> Int { calls.count { $0 == method } }

    // MARK: For the bot

    package struct Answer: Sendable {
        package let status: Int
        package let json: JSONValue?

        static func ok(_ result: JSONValue) -> Answer { Answer(status: 200, json: ["ok": true, "result": result]) }

        static func error(_ code: Int, _ text: String, parameters: JSONValue? = nil) -> Answer {
            var members: [String: JSONValue] = [
                "ok": false, "error_code": .number(Double(code)), "description": .string(text),
            ]
            if let parameters { members["parameters"] = parameters }
            return Answer(status: code, json: .object(members))
        }
    }

    /// - Returns: nil when the connection must end without an answer.
    package func answer(_ token: String, _ method: String, _ parameters: [String: String]) async -> Answer? {
        guard token == Self.token else { return .error(401, "Unauthorized") }
        calls.append(method)
        while held.contains(method), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(10)) }
        if faults[method]?.isEmpty == false {
            switch faults[method]!.removeFirst() {
            case .tooMany(let seconds):
                return .error(
                    429, "Too Many Requests: retry after \(seconds)",
                    parameters: ["retry_after": .number(Double(seconds))])
            case .conflict:
                return .error(
                    409,
                    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running")
            case .broken: return Answer(status: 502, json: nil)
            case .blocked: return .error(403, "Forbidden: bot was blocked by the user")
            case .lost: return nil
            }
        }
        switch method.lowercased() {
        case "getme": return .ok(Self.bot(withAbilities: true))
        case "deletewebhook": return .ok(true)
        case "sendmessage": return send(parameters)
        case "editmessagetext": return edit(parameters)
        case "getupdates": return await poll(parameters)
        default: return .error(404, "Not Found")
        }
    }

    private func send(_ parameters: [String: String]) -> Answer {
        guard let chat = parameters["chat_id"], !chat.isEmpty else {
            return .error(400, "Bad Request: chat_id is empty")
        }
        guard let text = parameters["text"], !text.isEmpty else {
            return .error(400, "Bad Request: message text is empty")
        }
        guard text.utf16.count <= 4096 else { return .error(400, "Bad Request: message is too long") }
        guard let id = Int(chat), chats.contains(id) else { return .error(400, "Bad Request: chat not found") }
        sent.append(Sent(chat: chat, text: text))
        texts[nextMessage] = text
        let message = message(text, in: id, from: Self.bot(withAbilities: false))
        obey(text)
        return .ok(message)
    }

    private func edit(_ parameters: [String: String]) -> Answer {
        guard let id = parameters["message_id"].flatMap({ Int($0) }), let before = texts[id] else {
            return .error(400, "Bad Request: message to edit not found")
        }
        guard let text = parameters["text"], !text.isEmpty else {
            return .error(400, "Bad Request: message text is empty")
        }
        guard text != before else {
            return .error(
                400,
                "Bad Request: message is not modified: specified new message content and reply markup are exactly the "
                    + "same as a current content and reply markup of the message")
        }
        texts[id] = text
        let chat = Int(parameters["chat_id"] ?? "") ?? Self.chat
        guard case .object(var members) = message(text, in: chat, from: Self.bot(withAbilities: false)) else {
            return .ok(true)
        }
        nextMessage -= 1
        members["message_id"] = .number(Double(id))
        members["edit_date"] = members["date"]
        return .ok(.object(members))
    }

    /// Lets a peer ask for an update or a fault in a message.
    private func obey(_ text: String) {
        switch text {
        case "say /start": write("/start")
        case "fail 429": fail("sendMessage", .tooMany(after: 7))
        case "fail 409": fail("getUpdates", .conflict)
        default: break
        }
    }

    private func poll(_ parameters: [String: String]) async -> Answer {
        let offset = Int(parameters["offset"] ?? "") ?? 0
        let limit = Int(parameters["limit"] ?? "") ?? 100
        let end = ContinuousClock.now + .seconds(Int(parameters["timeout"] ?? "") ?? 0)
        pollers += 1
        let me = pollers
        updates.removeAll { ($0["update_id"]?.intValue ?? 0) < offset }
        while updates.isEmpty, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(10))
            guard pollers == me else {
                return .error(
                    409,
                    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running")
            }
            if Task.isCancelled { return .error(500, "Internal Server Error: restart") }
        }
        return .ok(.array(Array(updates.prefix(limit))))
    }

    // MARK: Objects

    private func message(_ text: String, in chat: Int, from sender: JSONValue) -> JSONValue {
        defer { nextMessage += 1 }
        return [
            "message_id": .number(Double(nextMessage)), "date": .number(Date().timeIntervalSince1970.rounded()),
            "chat": ["id": .number(Double(chat)), "type": "private", "first_name": "Robin"], "from": sender,
            "text": .string(text),
        ]
    }

    private static func person(_ id: Int, _ language: String) -> JSONValue {
        ["id": .number(Double(id)), "is_bot": false, "first_name": "Robin", "language_code": .string(language)]
    }

    private static func bot(withAbilities: Bool) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": 123_456_789, "is_bot": true, "first_name": "Countersign", "username": "countersign_test_bot",
        ]
        if withAbilities {
            for name in ["can_join_groups", "can_read_all_group_messages", "supports_inline_queries"] {
                members[name] = false
            }
        }
        return .object(members)
    }

    // MARK: Serving

    /// Runs the server while `body` runs.
    package static func with<Success: Sendable>(
        _ body: @escaping @Sendable (FakeTelegram, _ url: String) async throws -> Success
    ) async throws -> Success {
        let telegram = FakeTelegram()
        let router = Router(context: FakeTelegramContext.self)
        let handler: @Sendable (Request, FakeTelegramContext) async throws -> Response = { request, context in
            let token = String(context.parameters.get("bot")?.dropFirst(3) ?? "")
            let method = context.parameters.get("method") ?? ""
            let body = try await request.body.collect(upTo: 1 << 20)
            guard let answer = await telegram.answer(token, method, Self.parameters(request, body)) else {
                try await context.channel.close()
                throw CancellationError()
            }
            return Response(
                status: .init(code: answer.status), headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(string: answer.json?.compactText() ?? "<html>bad gateway</html>")))
        }
        router.get(":bot/:method", use: handler)
        router.post(":bot/:method", use: handler)
        return try await LoopbackServer.run(router) { port in try await body(telegram, "http://127.0.0.1:\(port)") }
    }

    /// Reads the parameters from a JSON body, or from a form as most libraries send it.
    private static func parameters(_ request: Request, _ body: ByteBuffer) -> [String: String] {
        let type = request.headers[.contentType] ?? ""
        if type.hasPrefix("application/json") {
            let members = (try? JSONReader.read(body.readableBytesView))?.objectValue ?? [:]
            return members.mapValues { $0.stringValue ?? $0.compactText() }
        }
        let form = String(buffer: body).replacing("+", with: "%20")
        let pairs = form.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(
            pairs.map { pair in
                (String(pair[0]), pair.count > 1 ? String(pair[1]).removingPercentEncoding ?? "" : "")
            }, uniquingKeysWith: { $1 })
    }
}

struct FakeTelegramContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
