import Foundation
import Secrets
import Signer

/// What a broker needs to know, checked (specification, section 18).
public struct BrokerConfiguration: Sendable {
    public var agentToken: Secret
    public var phoneToken: Secret
    public var sharedSecret: SharedSecret
    public var telegram: TelegramConfiguration?
    public var inbox: URL
    public var database: URL
    public var host: String
    /// 0 for a free one.
    public var port: Int
    public var approvalTTL: Duration
    public var executionTimeout: Duration
    public var tls: BrokerTLS?
    public var limits = BrokerLimits()
    public var bankID = "default"
    public var timing = IngestSettings()

    /// How the inbox is watched, in seconds.
    public struct IngestSettings: Sendable {
        public var reconciliation: Duration = .seconds(10)
        public var stability: Duration = .seconds(2)

        public init() {}
    }

    /// Accepted PDFs, beside the database.
    public var statements: URL {
        database.deletingLastPathComponent().appending(path: "statements", directoryHint: .isDirectory)
    }

    public init(
        agentToken: Secret, phoneToken: Secret, sharedSecret: SharedSecret, telegram: TelegramConfiguration? = nil,
        inbox: URL, database: URL, host: String = "127.0.0.1", port: Int = 8765, approvalTTL: Duration = .seconds(300),
        executionTimeout: Duration = .seconds(600)
    ) {
        self.agentToken = agentToken
        self.phoneToken = phoneToken
        self.sharedSecret = sharedSecret
        self.telegram = telegram
        self.inbox = inbox
        self.database = database
        self.host = host
        self.port = port
        self.approvalTTL = approvalTTL
        self.executionTimeout = executionTimeout
    }
}

/// Everything that is wrong with a configuration, at once.
public struct BrokerConfigurationError: Error, Sendable, CustomStringConvertible {
    public let problems: [String]

    public var description: String {
        "the broker’s configuration is not complete:\n" + problems.map { "  - \($0)" }.joined(separator: "\n")
    }
}
