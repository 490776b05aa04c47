/// The owner's chat with a bot (specification, section 14).
package struct TelegramChannel: ListeningChannel {
    /// The name under which the broker remembers the bot's messages.
    package static let name = "telegram"

    private let configuration: TelegramConfiguration
    private let bot: TelegramBot

    package init(_ configuration: TelegramConfiguration) {
        self.configuration = configuration
        bot = TelegramBot(configuration)
    }

    package var announcementsPerHour: Int { configuration.nudgesPerHour }

    package var pauses: OwnerChannelPauses {
        var pauses = OwnerChannelPauses()
        pauses.attempts = configuration.timing.attempts
        pauses.firstPause = configuration.timing.firstPause
        pauses.longestPause = configuration.timing.longestPause
        pauses.digestLook = configuration.timing.digestLook
        return pauses
    }

    package func tells(_ kind: OwnerMessage.Kind) -> Bool {
        switch kind {
        case .request, .offer, .digest, .consent: configuration.announcesRequests
        case .completed, .ended: configuration.announcesCompletions
        case .answer: true
        }
    }

    package func send(_ message: OwnerMessage) async throws -> String? {
        do {
            return try await bot.sendMessage(message.text, to: configuration.chatID)
        } catch {
            throw refusal(error)
        }
    }

    package func replace(_ id: String, with message: OwnerMessage) async throws {
        guard let id = Int(id) else { return }
        do {
            try await bot.edit(message: id, in: configuration.chatID, to: message.text)
        } catch {
            throw refusal(error)
        }
    }

    package func check() async throws -> String {
        do {
            return "Telegram knows the bot, @\(try await bot.name())"
        } catch {
            throw OwnerChannelError(.refused, "Telegram does not know the bot: \(error)")
        }
    }

    package func listen(_ desk: ChannelDesk) async {
        if configuration.listens { await TelegramListener(configuration, bot, desk).run() }
    }

    package func close() async { await bot.close() }

    private func refusal(_ error: TelegramError) -> OwnerChannelError {
        OwnerChannelError(error, conflictPause: configuration.timing.conflictPause)
    }
}

extension OwnerChannelError {
    /// - Parameter conflictPause: the shortest pause when another program receives the bot's updates.
    init(_ error: TelegramError, conflictPause: Duration) {
        let kind: Kind =
            switch error.kind {
            case .tooMany(let after): .tooMany(after: after)
            case .conflict: .tooMany(after: conflictPause)
            case .unreachable: .unreachable
            case .refused: .refused
            }
        self.init(kind, error.description)
    }
}
