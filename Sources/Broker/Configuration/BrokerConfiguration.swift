import DeviceTrust
import Foundation
import Secrets
import Signer

/// What a broker needs to know, checked (specification, section 18).
public struct BrokerConfiguration: Sendable {
    public var agentToken: Secret
    /// The device that the specification's two variables are; nil where it is turned off.
    public var defaultDevice: DefaultDevice?
    /// What keeps the secrets of the database.
    public var sealing: Sealing
    public var telegram: TelegramConfiguration?
    public var inbox: URL
    public var database: URL
    public var host: String
    /// 0 for a free one.
    public var port: Int
    public var approvalTTL: Duration
    public var executionTimeout: Duration
    /// `BROKER_TLS_CERT` and its key.
    public var tls: BrokerTLS?
    /// Serve with the certificate that the broker made for itself.
    public var usesOwnCertificate = false
    /// Where phones reach the broker, `BROKER_ENDPOINT`; worked out from host and port where it is nil.
    public var endpoint: String?
    /// What requests need besides one approval, `BROKER_POLICY_FILE`.
    public var policy = ApprovalPolicy.open
    /// Whether the broker is announced in the local network.
    public var announces = false
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

    /// The broker's own certificate in PEM, for agents: it is what `BROKER_CA_FILE` may name.
    public var certificateFile: URL { database.deletingLastPathComponent().appending(path: "broker.pem") }

    /// What the broker speaks.
    public var scheme: String { tls == nil && !usesOwnCertificate ? "http" : "https" }

    /// What a request is signed with in the broker's own record: the default device's secret, or, where there is no such
    /// device, one that nobody else has.
    var recordSecret: SharedSecret {
        get throws { try defaultDevice?.secret ?? SharedSecret(sealing.derivedSecret(for: "record")) }
    }

    /// A broker with the default device, whose secret seals the database unless `sealing` is another.
    public init(
        agentToken: Secret, phoneToken: Secret, sharedSecret: SharedSecret, sealing: Sealing? = nil,
        telegram: TelegramConfiguration? = nil, inbox: URL, database: URL, host: String = "127.0.0.1",
        port: Int = 8765, approvalTTL: Duration = .seconds(300), executionTimeout: Duration = .seconds(600)
    ) {
        self.init(
            agentToken: agentToken, sealing: sealing ?? Sealing(sharedSecret), telegram: telegram, inbox: inbox,
            database: database, host: host, port: port, approvalTTL: approvalTTL, executionTimeout: executionTimeout)
        defaultDevice = DefaultDevice(token: phoneToken, secret: sharedSecret)
    }

    /// A broker for paired devices alone.
    public init(
        agentToken: Secret, sealing: Sealing, telegram: TelegramConfiguration? = nil, inbox: URL, database: URL,
        host: String = "127.0.0.1", port: Int = 8765, approvalTTL: Duration = .seconds(300),
        executionTimeout: Duration = .seconds(600)
    ) {
        self.agentToken = agentToken
        self.sealing = sealing
        self.telegram = telegram
        self.inbox = inbox
        self.database = database
        self.host = host
        self.port = port
        self.approvalTTL = approvalTTL
        self.executionTimeout = executionTimeout
    }
}

/// The device that needs no pairing: `PHONE_API_TOKEN` and `BROKER_PHONE_SHARED_SECRET` (specification, section 7.1).
public struct DefaultDevice: Sendable {
    public var token: Secret
    public var secret: SharedSecret

    public init(token: Secret, secret: SharedSecret) {
        self.token = token
        self.secret = secret
    }
}

/// Everything that is wrong with a configuration, at once.
public struct BrokerConfigurationError: Error, Sendable, CustomStringConvertible {
    public let problems: [String]

    public var description: String {
        "the broker’s configuration is not complete:\n" + problems.map { "  - \($0)" }.joined(separator: "\n")
    }
}
