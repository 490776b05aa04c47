import Clocks
import Foundation
import Messages
import Notifications
import Secrets

extension EnvironmentReader {
    /// Reads `BROKER_BANK_ID`, the bank of requests that name none.
    mutating func bankID() -> String? {
        guard let id = environment["BROKER_BANK_ID"], !id.isEmpty else { return nil }
        guard OfferedBank.isID(id) else {
            report("BROKER_BANK_ID is “\(id)”; it must be a bank's id: lower-case letters, digits, - and _, at most 64")
            return nil
        }
        return id
    }

    mutating func limits() -> BrokerLimits {
        var limits = BrokerLimits()
        limits.connections =
            whole("BROKER_MAX_CONNECTIONS", in: 1...100_000, otherwise: limits.connections) ?? limits.connections
        limits.undecidedPerAgent =
            whole("BROKER_MAX_UNDECIDED_REQUESTS", in: 1...1000, otherwise: limits.undecidedPerAgent)
            ?? limits.undecidedPerAgent
        limits.timeouts.head = seconds("BROKER_HEADER_TIMEOUT_SECONDS", limits.timeouts.head)
        limits.timeouts.body = seconds("BROKER_BODY_TIMEOUT_SECONDS", limits.timeouts.body)
        limits.timeouts.idle = seconds("BROKER_IDLE_TIMEOUT_SECONDS", limits.timeouts.idle)
        limits.rates.perSecond = rate("BROKER_REQUESTS_PER_SECOND", limits.rates.perSecond)
        limits.rates.perTokenAndSecond = rate("BROKER_TOKEN_REQUESTS_PER_SECOND", limits.rates.perTokenAndSecond)
        limits.rates.wrongTokensPerMinute = rate("BROKER_WRONG_TOKENS_PER_MINUTE", limits.rates.wrongTokensPerMinute)
        return limits
    }

    private mutating func seconds(_ name: String, _ value: Duration) -> Duration {
        whole(name, in: 1...3600, otherwise: Int(value.components.seconds)).map { .seconds($0) } ?? value
    }

    private mutating func rate(_ name: String, _ value: Double) -> Double {
        whole(name, in: 1...1_000_000, otherwise: Int(value)).map(Double.init) ?? value
    }

    /// Reads `BROKER_TLS_CERT` and `BROKER_TLS_KEY`. Both are set, or neither.
    mutating func tls() -> BrokerTLS? {
        let certificate = environment["BROKER_TLS_CERT"].flatMap { $0.isEmpty ? nil : $0 }
        let key = environment["BROKER_TLS_KEY"].flatMap { $0.isEmpty ? nil : $0 }
        switch (certificate, key) {
        case (nil, nil): return nil
        case (_?, nil): report("BROKER_TLS_KEY is not set: the file with the key of BROKER_TLS_CERT, in PEM")
        case (nil, _?): report("BROKER_TLS_CERT is not set: the file with the certificate of BROKER_TLS_KEY, in PEM")
        case (let certificate?, let key?):
            do {
                return try BrokerTLS(certificate: file(certificate), key: file(key))
            } catch {
                report("BROKER_TLS_CERT and BROKER_TLS_KEY: \(error)")
            }
        }
        return nil
    }

    private func file(_ path: String) -> URL {
        URL(filePath: BrokerConfiguration.expanded(path, environment)).standardizedFileURL
    }

    /// Returns whether the bot's token, which is in every address, stays unread on its way.
    private static func keepsTokenPrivate(_ base: String) -> Bool {
        base.hasPrefix("https://")
            || base.wholeMatch(of: /http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?(\/.*)?/) != nil
    }

    mutating func telegram() -> TelegramConfiguration? {
        let token = secret(
            "TELEGRAM_BOT_TOKEN", "the token of the bot that notifies you; or run with --no-telegram", minimum: 1)
        if let token, token.revealed().wholeMatch(of: /[0-9]+:[A-Za-z0-9_-]+/) == nil {
            report("TELEGRAM_BOT_TOKEN is not a bot token; BotFather gives one of the form 123456:ABC-DEF")
        }
        let chat = text("TELEGRAM_PHONE_CHAT_ID", "the chat that the bot writes to; or run with --no-telegram")
        let base = environment["TELEGRAM_API_BASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
        if let base, base.wholeMatch(of: /https?:\/\/[^\/?#@]+(\/[^?#]*)?/) == nil {
            report("TELEGRAM_API_BASE_URL must be the http or https address of a Bot API server")
        } else if let base, !Self.keepsTokenPrivate(base) {
            report(
                "TELEGRAM_API_BASE_URL is \(base): the bot's token would cross the network in the clear; use https, or a "
                    + "server on this machine")
        }
        let announcesRequests = isOn("TELEGRAM_NOTIFY_REQUESTS", otherwise: true)
        let announcesCompletions = isOn("TELEGRAM_NOTIFY_COMPLETIONS", otherwise: true)
        let listens = isOn("TELEGRAM_COMMANDS", otherwise: true)
        let nudges = whole("TELEGRAM_NUDGES_PER_HOUR", in: 1...1000, otherwise: 12)
        guard let token, let chat else { return nil }
        var telegram = TelegramConfiguration(token: token, chatID: chat)
        if let base { telegram.baseURL = base.hasSuffix("/") ? String(base.dropLast()) : base }
        telegram.announcesRequests = announcesRequests
        telegram.announcesCompletions = announcesCompletions
        telegram.listens = listens
        if let nudges { telegram.nudgesPerHour = nudges }
        return telegram
    }
}
