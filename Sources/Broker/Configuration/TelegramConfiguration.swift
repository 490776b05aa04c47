import Secrets

/// The bot that nudges the person.
public struct TelegramConfiguration: Sendable {
    public var token: Secret
    public var chatID: String
    /// `https://api.telegram.org`, or a self-hosted Bot API server.
    public var baseURL: String
    /// Whether a message says that a statement is asked for, and that one has come.
    public var tellsRequests = true
    public var tellsCompletions = true
    /// Whether the bot answers `/start` and `/pending`.
    public var listens = true
    public var timing = Timing()

    public init(token: Secret, chatID: String, baseURL: String = "https://api.telegram.org") {
        self.token = token
        self.chatID = chatID
        self.baseURL = baseURL
    }

    /// How long Telegram is waited for.
    public struct Timing: Sendable {
        /// How long one call waits for messages, in whole seconds.
        public var poll: Duration = .seconds(50)
        /// After the first failure; it doubles with each that follows.
        public var firstPause: Duration = .seconds(1)
        public var longestPause: Duration = .seconds(60)
        /// At least, where another program receives the bot's updates.
        public var conflictPause: Duration = .seconds(15)
        /// How often a message is tried.
        public var attempts = 8

        public init() {}
    }
}
