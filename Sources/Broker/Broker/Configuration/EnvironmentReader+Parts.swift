import Clocks
import Foundation
import Languages
import Messages
import Notifications
import Secrets

extension EnvironmentReader {
    /// Reads `BROKER_BANK_ID`, the bank of requests that name none.
    mutating func bankID() -> String? {
        guard let id = value(.bankID) else { return nil }
        guard OfferedBank.isID(id) else {
            report(
                "\(BrokerSetting.bankID.name) is “\(id)”; it must be a bank's id: lower-case letters, digits, - and _, at most 64"
            )
            return nil
        }
        return id
    }

    mutating func language() -> Language? {
        guard let code = value(.language) else { return nil }
        guard let language = OwnerText.book.offered.first(where: { $0.rawValue == code }) else {
            let codes = OwnerText.book.offered.map(\.rawValue).joined(separator: ", ")
            report("\(BrokerSetting.language.name) is “\(code)”; it must be one of \(codes)")
            return nil
        }
        return language
    }

    mutating func limits() -> BrokerLimits {
        var limits = BrokerLimits()
        limits.connections = whole(.connections) ?? limits.connections
        limits.undecidedPerAgent = whole(.undecidedPerAgent) ?? limits.undecidedPerAgent
        limits.timeouts.head = seconds(.headerTimeout) ?? limits.timeouts.head
        limits.timeouts.body = seconds(.bodyTimeout) ?? limits.timeouts.body
        limits.timeouts.idle = seconds(.idleTimeout) ?? limits.timeouts.idle
        limits.rates.perSecond = rate(.requestsPerSecond) ?? limits.rates.perSecond
        limits.rates.perTokenAndSecond = rate(.requestsPerToken) ?? limits.rates.perTokenAndSecond
        limits.rates.wrongTokensPerMinute = rate(.wrongTokens) ?? limits.rates.wrongTokensPerMinute
        return limits
    }

    private mutating func seconds(_ setting: BrokerSetting) -> Duration? { whole(setting).map { .seconds($0) } }

    private mutating func rate(_ setting: BrokerSetting) -> Double? { whole(setting).map(Double.init) }

    /// Reads `BROKER_TLS_CERT` and `BROKER_TLS_KEY`. Both are set, or neither.
    mutating func tls() -> BrokerTLS? {
        switch (value(.tlsCertificate), value(.tlsKey)) {
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
        let token = secret(.telegramToken, minimum: 1)
        if let token, token.revealed().wholeMatch(of: /[0-9]+:[A-Za-z0-9_-]+/) == nil {
            report("TELEGRAM_BOT_TOKEN is not a bot token; BotFather gives one of the form 123456:ABC-DEF")
        }
        let chat = text(.telegramChat)
        let base = value(.telegramServer)
        if let base, base.wholeMatch(of: /https?:\/\/[^\/?#@]+(\/[^?#]*)?/) == nil {
            report("TELEGRAM_API_BASE_URL must be the http or https address of a Bot API server")
        } else if let base, !Self.keepsTokenPrivate(base) {
            report(
                "TELEGRAM_API_BASE_URL is \(base): the bot's token would cross the network in the clear; use https, or a "
                    + "server on this machine")
        }
        let announcesRequests = isOn(.telegramRequests)
        let announcesCompletions = isOn(.telegramCompletions)
        let listens = isOn(.telegramCommands)
        let nudges = whole(.telegramNudges)
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
