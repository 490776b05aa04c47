import BrokerStore
import DeviceTrust
import Foundation
import Inbox
import Languages
import Machine
import Notifications
import Secrets
import Signer

/// A broker's settings, checked (specification, section 18).
public struct BrokerConfiguration: Sendable {
    package var agentToken: Secret
    /// The device of the specification's two variables; nil when it is turned off.
    package var defaultDevice: DefaultDevice?
    /// Encrypts the secrets in the database.
    package var sealing: Sealing
    /// The place of the sealing secret that the broker makes for itself; ``sealing`` is then what sealed the database before
    /// there was one. Nil to seal with ``sealing``.
    package var sealingFile: SealingFile?
    package var telegram: TelegramConfiguration?
    package var inbox: URL
    package var database: URL
    package var host: String
    /// The TCP port; 0 for any free one.
    package var port: Int
    /// The Unix socket for programs of the broker's own user; nil for none.
    package var socket: ServedSocket?
    /// The time between two looks whether the socket is still on the disk.
    package var socketLook: Duration = .seconds(5)
    public var approvalTTL: Duration
    package var executionTimeout: Duration
    /// The certificate of `BROKER_TLS_CERT` and its key.
    package var tls: BrokerTLS?
    /// True when the broker serves with the certificate that it made for itself.
    package var usesOwnCertificate = false
    /// The address at which phones reach the broker, `BROKER_ENDPOINT`; nil to derive it from host and port.
    package var endpoint: String?
    /// The requirements beyond one approval, `BROKER_POLICY_FILE`.
    package var policy = ApprovalPolicy.open
    /// The policy's file, which is read again when it changes; nil for a policy that never changes.
    package var policyFile: URL?
    /// True when the broker is announced in the local network.
    package var announces = false
    /// The destination of documents for paperless-ngx; nil without one.
    package var paperless: PaperlessConfiguration?
    /// The address that is told of documents and finished requests; nil for none.
    package var webhook: WebhookConfiguration?
    /// The time between two looks for what is due to paperless-ngx and the webhook.
    package var outgoingLook: Duration = .seconds(1)
    /// The time after which documents are offered again whose place was away or full.
    package var filingPause: Duration = .seconds(60)
    /// The time between two looks for consents whose end has come near.
    package var consentLook: Duration = .seconds(60)
    public var limits = BrokerLimits()
    /// The days for which ended requests, their evidence and the audit log are kept; nil to keep them for ever.
    package var retentionDays: Int?
    /// The bank of a request that names none, while the phones have told of no other; nil for that of the specification,
    /// `default`.
    package var bankID: String?
    /// The language of messages to the owner; nil for the one that the owner's programs tell.
    package var language: Language?
    /// The time for which an offer waits for its owner.
    package var offerLife: Duration = .seconds(90 * 86_400)
    package var timing = IngestTiming()

    /// The folder of accepted PDFs, beside the database.
    package var statements: URL { Self.statements(beside: database) }

    /// Returns the folder of the PDFs that the broker with this database has accepted.
    package static func statements(beside database: URL) -> URL {
        database.deletingLastPathComponent().appending(path: "statements", directoryHint: .isDirectory)
    }

    /// The folder of refused deliveries, beside the database.
    package var rejected: URL {
        database.deletingLastPathComponent().appending(path: "rejected", directoryHint: .isDirectory)
    }

    /// The file with the broker's own certificate in PEM. Agents name it in `BROKER_CA_FILE`.
    package var certificateFile: URL { database.deletingLastPathComponent().appending(path: "broker.pem") }

    /// The scheme of the broker's address, `http` or `https`.
    package var scheme: String { tls == nil && !usesOwnCertificate ? "http" : "https" }

    /// True when no other machine can reach the broker, itself or through a proxy.
    var isForThisMachine: Bool { ["127.0.0.1", "localhost", "::1"].contains(host) && endpoint == nil }

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
    package init(
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
    /// The channel that these settings ask for, if any, with its own connections. Channels of plug-ins come besides.
    package var channels: [NamedChannel] {
        telegram.map { [NamedChannel(TelegramChannel.name, TelegramChannel($0))] } ?? []
    }
}

/// The device that is not paired: `PHONE_API_TOKEN` and `BROKER_PHONE_SHARED_SECRET` (specification, section 7.1).
package struct DefaultDevice: Sendable {
    package var token: Secret
    package var secret: SharedSecret

    package init(token: Secret, secret: SharedSecret) {
        self.token = token
        self.secret = secret
    }
}

/// All the problems of a configuration.
public struct BrokerConfigurationError: Error, Sendable, CustomStringConvertible {
    package let problems: [String]

    /// The way by which a first broker comes by its settings; nil where some of them are set.
    package var wayForFirstBroker: String? {
        guard problems.count >= 4, problems.allSatisfy({ $0.contains(" is not set: ") }) else { return nil }
        return
            "For a household, run countersign up, which needs none of this. For a broker alone, set them in this shell, as "
            + "docs/broker.md shows; for one as a service, docs/install.md has the file."
    }

    public var description: String {
        "the broker's configuration has problems:\n" + problems.map { "  - \($0)" }.joined(separator: "\n")
    }
}
