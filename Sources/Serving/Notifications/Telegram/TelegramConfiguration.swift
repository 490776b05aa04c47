import Secrets

/// The settings of the bot that notifies the person.
public struct TelegramConfiguration: Sendable {
    public var token: Secret
    public var chatID: String
    /// `https://api.telegram.org`, or a self-hosted Bot API server.
    public var baseURL: String
    /// True when the bot announces requests and completions.
    public var announcesRequests = true
    public var announcesCompletions = true
    /// The announcements of requests in one hour. One message at the hour's end stands for those beyond.
    public var nudgesPerHour = 12
    /// True when the bot answers `/start` and `/pending`.
    public var listens = true
    public var timing = Timing()

    public init(token: Secret, chatID: String, baseURL: String = "https://api.telegram.org") {
        self.token = token
        self.chatID = chatID
        self.baseURL = baseURL
    }

    /// The waiting times for Telegram.
    public struct Timing: Sendable {
        /// The time for which one call waits for messages, in whole seconds.
        public var poll: Duration = .seconds(50)
        /// The pause after the first failure. It doubles with each failure that follows.
        public var firstPause: Duration = .seconds(1)
        public var longestPause: Duration = .seconds(60)
        /// The shortest pause when another program receives the bot's updates.
        public var conflictPause: Duration = .seconds(15)
        /// The time between two looks for requests that were not announced.
        public var digestLook: Duration = .seconds(15)
        /// The number of attempts to send a message.
        public var attempts = 8

        public init() {}
    }
}
