import BrokerStore
import Messages
import Notifications
import Signer

/// A variable of the environment that configures the broker, declared once: the broker reads it by this declaration, and
/// `broker serve --help`, `config show`, `config check` and the guide tell of it.
///
/// To add one, declare it in a group below, and read it where ``BrokerConfiguration`` is made from the environment. A
/// test holds the table in `docs/broker.md` to this list.
package struct BrokerSetting: Sendable {
    /// The form of a value.
    package enum Form: Sendable {
        case text
        /// A file or a folder.
        case path
        /// A credential, which is never shown.
        case secret
        case onOff
        case number(ClosedRange<Int>)
    }

    package let name: String
    package let form: Form
    /// The value without the variable, if the setting then has one.
    package let standard: String?
    /// Completes the sentence "this is …".
    package let purpose: String

    /// Returns the setting's own value; nil when it is not set, or empty.
    package func value(in environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func text(_ name: String, otherwise standard: String? = nil, _ purpose: String) -> BrokerSetting {
        BrokerSetting(name: name, form: .text, standard: standard, purpose: purpose)
    }

    private static func path(_ name: String, otherwise standard: String? = nil, _ purpose: String) -> BrokerSetting {
        BrokerSetting(name: name, form: .path, standard: standard, purpose: purpose)
    }

    private static func secret(_ name: String, _ purpose: String) -> BrokerSetting {
        BrokerSetting(name: name, form: .secret, standard: nil, purpose: purpose)
    }

    private static func onOff(_ name: String, otherwise standard: Bool, _ purpose: String) -> BrokerSetting {
        BrokerSetting(name: name, form: .onOff, standard: standard ? "on" : "off", purpose: purpose)
    }

    /// Declares a whole number.
    private static func number(
        _ name: String, in range: ClosedRange<Int>, otherwise standard: Int, _ purpose: String
    ) -> BrokerSetting {
        BrokerSetting(name: name, form: .number(range), standard: "\(standard)", purpose: purpose)
    }

    private static func seconds(_ name: String, otherwise standard: Duration, _ purpose: String) -> BrokerSetting {
        number(name, in: 1...3600, otherwise: Int(standard.components.seconds), purpose)
    }

    private static func rate(_ name: String, otherwise standard: Double, _ purpose: String) -> BrokerSetting {
        number(name, in: 1...1_000_000, otherwise: Int(standard), purpose)
    }
}

extension BrokerSetting {
    /// Settings that belong together, in the order of the broker's help.
    package struct Group: Sendable {
        package let title: String
        package let settings: [BrokerSetting]
    }

    package static let groups = [
        Group(
            title: "Tokens and keys",
            settings: [agentToken, phoneToken, sharedSecret, defaultDevice, sealingSecret]),
        Group(
            title: "Where it listens, and what it keeps",
            settings: [
                inbox, database, host, port, socket, tlsCertificate, tlsKey, endpoint, discovery, retentionDays,
            ]),
        Group(
            title: "Requests",
            settings: [bankID, language, policyFile, approvalTTL, executionTimeout, undecidedPerAgent]),
        Group(
            title: "Limits on load",
            settings: [
                requestsPerSecond, requestsPerToken, wrongTokens, connections, headerTimeout, bodyTimeout, idleTimeout,
            ]),
        Group(
            title: "Documents",
            settings: [
                archive, archiveTemplate, onDocument, paperlessURL, paperlessToken, paperlessTokenFile, paperlessFolder,
                webhookURL, webhookSecret, webhookSecretFile,
            ]),
        Group(
            title: "Telegram",
            settings: [
                telegramToken, telegramChat, telegramRequests, telegramCompletions, telegramCommands, telegramNudges,
                telegramServer,
            ]),
    ]

    package static let all = groups.flatMap(\.settings)

    // MARK: Tokens and keys

    static let agentToken = secret(
        "BROKER_API_TOKEN", "the token that agents show, at least \(SharedSecret.minimumLength) bytes")
    static let phoneToken = secret(
        "PHONE_API_TOKEN", "the token that the default phone shows, at least \(SharedSecret.minimumLength) bytes")
    static let sharedSecret = secret(
        "BROKER_PHONE_SHARED_SECRET",
        "the signing key of the default phone, at least \(SharedSecret.minimumLength) bytes")
    static let defaultDevice = onOff(
        "BROKER_DEFAULT_DEVICE", otherwise: true, "off when every phone is paired; the two above are not needed then")
    package static let sealingSecret = secret(
        "BROKER_SEALING_SECRET",
        "the secret that seals the database's secrets, at least \(SharedSecret.minimumLength) bytes; without it, "
            + "and with the default phone, the broker makes one, in the file sealing.secret beside the database")

    // MARK: Where it listens, and what it keeps

    package static let inbox = path(
        "ICLOUD_INBOX_PATH", "the synced folder that the phone delivers to")
    package static let database = path(
        "BROKER_DATABASE_PATH", otherwise: "~/.local/share/countersign/broker.sqlite",
        "the database's file")
    static let host = text(
        "BROKER_HOST", otherwise: "127.0.0.1",
        "the address to listen at")
    static let port = number("BROKER_PORT", in: 0...65_535, otherwise: 8765, "the port to listen at")
    package static let socket = path(
        "BROKER_SOCKET",
        "the Unix socket at which the broker also listens, for the programs of its user alone; a household's broker has one"
    )
    static let tlsCertificate = path(
        "BROKER_TLS_CERT",
        "the file with a certificate of yours, in PEM; without it the broker makes its own, if other machines can reach it"
    )
    static let tlsKey = path(
        "BROKER_TLS_KEY", "the file with the key of that certificate, in PEM")
    static let endpoint = text(
        "BROKER_ENDPOINT", "the address that phones are given; without it made from host and port")
    static let discovery = onOff(
        "BROKER_DISCOVERY", otherwise: false, "on to announce the broker in the local network, through Avahi")
    static let retentionDays = number(
        "BROKER_RETENTION_DAYS", in: 0...36_500, otherwise: 0,
        "after how many days ended requests, their evidence and audit records are removed; 0 for never")

    // MARK: Requests

    package static let bankID = text(
        "BROKER_BANK_ID", otherwise: OfferedBank.standardID,
        "the bank of requests that name none, while phones tell of no other")
    static let language = text(
        "BROKER_LANGUAGE",
        "the language of messages to you: en, de, fr or es; without it that of the page, or of your Telegram")
    package static let policyFile = path(
        "BROKER_POLICY_FILE", "the file with the rules for approvals; countersign broker policy lint FILE checks it")
    static let approvalTTL = number(
        "BROKER_APPROVAL_TTL_SECONDS", in: 1...86_400, otherwise: 300,
        "how long a request waits for approval; phones refuse more than 900")
    static let executionTimeout = number(
        "BROKER_EXECUTION_TIMEOUT_SECONDS", in: 1...86_400, otherwise: 600, "how long a run may take")
    static let undecidedPerAgent = number(
        "BROKER_MAX_UNDECIDED_REQUESTS", in: 1...1000, otherwise: BrokerLimits().undecidedPerAgent,
        "how many requests of one agent may wait for a decision")

    // MARK: Limits on load

    static let requestsPerSecond = rate(
        "BROKER_REQUESTS_PER_SECOND", otherwise: BrokerLimits.Rates().perSecond, "calls a second of all clients")
    static let requestsPerToken = rate(
        "BROKER_TOKEN_REQUESTS_PER_SECOND", otherwise: BrokerLimits.Rates().perTokenAndSecond,
        "calls a second with one token")
    static let wrongTokens = rate(
        "BROKER_WRONG_TOKENS_PER_MINUTE", otherwise: BrokerLimits.Rates().wrongTokensPerMinute,
        "calls a minute with a token that the broker does not know")
    // With fewer, the phone's, the page's and the agents' calls that wait for something new push each other out.
    static let connections = number(
        "BROKER_MAX_CONNECTIONS", in: 16...100_000, otherwise: BrokerLimits().connections,
        "open connections; one address may have half of them")
    static let headerTimeout = seconds(
        "BROKER_HEADER_TIMEOUT_SECONDS", otherwise: BrokerLimits.Timeouts().head, "how long the head of a call may take"
    )
    static let bodyTimeout = seconds(
        "BROKER_BODY_TIMEOUT_SECONDS", otherwise: BrokerLimits.Timeouts().body, "how long the body of a call may take")
    static let idleTimeout = seconds(
        "BROKER_IDLE_TIMEOUT_SECONDS", otherwise: BrokerLimits.Timeouts().idle,
        "how long a connection may stay open without a call")

    // MARK: Documents

    package static let archive = path(
        "BROKER_ARCHIVE_PATH", "a folder in which every document is filed; see countersign archive")
    package static let archiveTemplate = text(
        "BROKER_ARCHIVE_TEMPLATE", otherwise: "{{ bank }}/{{ account }}/{{ year }}/{{ period }} {{ kind }}",
        "the paths in that folder")
    package static let onDocument = path(
        "BROKER_ON_DOCUMENT", "a program that is run for each document; COUNTERSIGN_DOCUMENT is its path")
    static let paperlessURL = text(
        "PAPERLESS_URL", "the address of a paperless-ngx that every PDF and CSV file is uploaded to")
    static let paperlessToken = secret("PAPERLESS_TOKEN", "the token of a user of paperless-ngx")
    static let paperlessTokenFile = path(
        "PAPERLESS_TOKEN_FILE", "the file with that token, in its place")
    static let paperlessFolder = path(
        "PAPERLESS_CONSUME_PATH", "the folder that paperless-ngx watches, in place of its address")
    static let webhookURL = secret(
        "BROKER_WEBHOOK_URL", "an address that is told of documents and finished requests")
    static let webhookSecret = secret("BROKER_WEBHOOK_SECRET", "the key that signs these messages (whsec_…)")
    static let webhookSecretFile = path(
        "BROKER_WEBHOOK_SECRET_FILE", "the file with that key, in its place")

    // MARK: Telegram

    static let telegramToken = secret(
        "TELEGRAM_BOT_TOKEN", "the token of the bot that tells you of requests; or run with --no-telegram")
    static let telegramChat = secret(
        "TELEGRAM_PHONE_CHAT_ID", "the chat that the bot writes to; or run with --no-telegram")
    static let telegramRequests = onOff(
        "TELEGRAM_NOTIFY_REQUESTS", otherwise: true, "off to announce no request")
    static let telegramCompletions = onOff(
        "TELEGRAM_NOTIFY_COMPLETIONS", otherwise: true, "off to announce no end of a request")
    static let telegramCommands = onOff(
        "TELEGRAM_COMMANDS", otherwise: true, "off to answer no command in the chat")
    static let telegramNudges = number(
        "TELEGRAM_NUDGES_PER_HOUR", in: 1...1000, otherwise: 12,
        "requests of one agent announced one by one in an hour; one message counts the others")
    static let telegramServer = text(
        "TELEGRAM_API_BASE_URL", "the address of another server of the Bot API")
}
