import BrokerStore
import DeviceTrust
import Foundation
import Inbox
import Notifications
import Secrets
import Signer

/// A broker's settings, checked (specification, section 18).
public struct BrokerConfiguration: Sendable {
    public var agentToken: Secret
    /// The device of the specification's two variables; nil when it is turned off.
    public var defaultDevice: DefaultDevice?
    /// Encrypts the secrets in the database.
    public var sealing: Sealing
    /// The place of the sealing secret that the broker makes for itself; ``sealing`` is then what sealed the database before
    /// there was one. Nil to seal with ``sealing``.
    public var sealingFile: SealingFile?
    public var telegram: TelegramConfiguration?
    public var inbox: URL
    public var database: URL
    public var host: String
    /// The TCP port; 0 for any free one.
    public var port: Int
    public var approvalTTL: Duration
    public var executionTimeout: Duration
    /// The certificate of `BROKER_TLS_CERT` and its key.
    public var tls: BrokerTLS?
    /// True when the broker serves with the certificate that it made for itself.
    public var usesOwnCertificate = false
    /// The address at which phones reach the broker, `BROKER_ENDPOINT`; nil to derive it from host and port.
    public var endpoint: String?
    /// The requirements beyond one approval, `BROKER_POLICY_FILE`.
    public var policy = ApprovalPolicy.open
    /// The policy's file, which is read again when it changes; nil for a policy that never changes.
    public var policyFile: URL?
    /// True when the broker is announced in the local network.
    public var announces = false
    /// The destination of documents for paperless-ngx; nil without one.
    public var paperless: PaperlessConfiguration?
    /// The address that is told of documents and finished requests; nil for none.
    public var webhook: WebhookConfiguration?
    /// The time between two looks for what is due to paperless-ngx and the webhook.
    public var outgoingLook: Duration = .seconds(1)
    public var limits = BrokerLimits()
    /// The days for which ended requests, their evidence and the audit log are kept; nil to keep them for ever.
    public var retentionDays: Int?
    /// The bank of a request that names none, while the phones have told of no other; nil for that of the specification,
    /// `default`.
    public var bankID: String?
    /// The time for which an offer waits for its owner.
    public var offerLife: Duration = .seconds(90 * 86_400)
    public var timing = IngestTiming()

    /// The folder of accepted PDFs, beside the database.
    public var statements: URL { Self.statements(beside: database) }

    /// Returns the folder of the PDFs that the broker with this database has accepted.
    public static func statements(beside database: URL) -> URL {
        database.deletingLastPathComponent().appending(path: "statements", directoryHint: .isDirectory)
    }

    /// The folder of refused deliveries, beside the database.
    public var rejected: URL {
        database.deletingLastPathComponent().appending(path: "rejected", directoryHint: .isDirectory)
    }

    /// The file with the broker's own certificate in PEM. Agents name it in `BROKER_CA_FILE`.
    public var certificateFile: URL { database.deletingLastPathComponent().appending(path: "broker.pem") }

    /// The scheme of the broker's address, `http` or `https`.
    public var scheme: String { tls == nil && !usesOwnCertificate ? "http" : "https" }

    /// The secret that signs requests in the broker's own record: the default device's, or a secret that only the broker
    /// has.
    var recordSecret: SharedSecret {
        get throws { try defaultDevice?.secret ?? SharedSecret(sealing.derivedSecret(for: "record")) }
    }

    /// Makes the settings of a broker with the default device.
    ///
    /// - Parameter sealing: nil to seal the database with the default device's secret.
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

    /// Makes the settings of a broker for paired devices only.
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

extension BrokerConfiguration {
    /// The channels of these settings, each with connections of its own. Plugged-in ones come besides.
    package var channels: [NamedChannel] {
        telegram.map { [NamedChannel(TelegramChannel.name, TelegramChannel($0))] } ?? []
    }
}

/// The device that is not paired: `PHONE_API_TOKEN` and `BROKER_PHONE_SHARED_SECRET` (specification, section 7.1).
public struct DefaultDevice: Sendable {
    public var token: Secret
    public var secret: SharedSecret

    public init(token: Secret, secret: SharedSecret) {
        self.token = token
        self.secret = secret
    }
}

/// All the problems of a configuration.
public struct BrokerConfigurationError: Error, Sendable, CustomStringConvertible {
    public let problems: [String]

    public var description: String {
        "the broker's configuration has problems:\n" + problems.map { "  - \($0)" }.joined(separator: "\n")
    }
}
