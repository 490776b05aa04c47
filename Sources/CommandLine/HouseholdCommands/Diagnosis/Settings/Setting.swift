import Foundation
import Messages

/// A variable that a part of Countersign reads.
struct Setting: Sendable {
    let name: String
    /// True when its value is a credential.
    var isSecret = false
    /// The value without the variable; nil when the part then has no value.
    var standard: String?

    /// Every variable, in the order of the broker's help.
    static let all: [Setting] = [
        Setting(name: "BROKER_API_TOKEN", isSecret: true), Setting(name: "PHONE_API_TOKEN", isSecret: true),
        Setting(name: "BROKER_PHONE_SHARED_SECRET", isSecret: true),
        Setting(name: "BROKER_DEFAULT_DEVICE", standard: "on"),
        Setting(name: "BROKER_SEALING_SECRET", isSecret: true), Setting(name: "ICLOUD_INBOX_PATH"),
        Setting(name: "TELEGRAM_BOT_TOKEN", isSecret: true), Setting(name: "TELEGRAM_PHONE_CHAT_ID", isSecret: true),
        Setting(name: "TELEGRAM_NOTIFY_REQUESTS", standard: "on"),
        Setting(name: "TELEGRAM_NOTIFY_COMPLETIONS", standard: "on"),
        Setting(name: "TELEGRAM_COMMANDS", standard: "on"), Setting(name: "TELEGRAM_API_BASE_URL"),
        Setting(name: "TELEGRAM_NUDGES_PER_HOUR", standard: "12"),
        Setting(name: "BROKER_HOST", standard: "127.0.0.1"), Setting(name: "BROKER_PORT", standard: "8765"),
        Setting(name: "BROKER_TLS_CERT"), Setting(name: "BROKER_TLS_KEY"), Setting(name: "BROKER_ENDPOINT"),
        Setting(name: "BROKER_POLICY_FILE"), Setting(name: "BROKER_BANK_ID", standard: OfferedBank.standardID),
        Setting(name: "BROKER_DISCOVERY", standard: "off"),
        Setting(name: "BROKER_DATABASE_PATH", standard: "~/.local/share/countersign/broker.sqlite"),
        Setting(name: "BROKER_APPROVAL_TTL_SECONDS", standard: "300"),
        Setting(name: "BROKER_EXECUTION_TIMEOUT_SECONDS", standard: "600"),
        Setting(name: "BROKER_REQUESTS_PER_SECOND", standard: "200"),
        Setting(name: "BROKER_TOKEN_REQUESTS_PER_SECOND", standard: "100"),
        Setting(name: "BROKER_WRONG_TOKENS_PER_MINUTE", standard: "60"),
        Setting(name: "BROKER_MAX_CONNECTIONS", standard: "512"),
        Setting(name: "BROKER_MAX_UNDECIDED_REQUESTS", standard: "10"), Setting(name: "BROKER_ARCHIVE_PATH"),
        Setting(name: "BROKER_ARCHIVE_TEMPLATE"), Setting(name: "BROKER_ON_DOCUMENT"),
        Setting(name: "PAPERLESS_URL"), Setting(name: "PAPERLESS_TOKEN_FILE"), Setting(name: "PAPERLESS_CONSUME_PATH"),
        Setting(name: "BROKER_WEBHOOK_URL", isSecret: true), Setting(name: "BROKER_WEBHOOK_SECRET_FILE"),
        Setting(name: "BROKER_RETENTION_DAYS"), Setting(name: "BROKER_HEADER_TIMEOUT_SECONDS", standard: "10"),
        Setting(name: "BROKER_BODY_TIMEOUT_SECONDS", standard: "15"),
        Setting(name: "BROKER_IDLE_TIMEOUT_SECONDS", standard: "75"), Setting(name: "BROKER_URL"),
        Setting(name: "BROKER_CA_FILE"), Setting(name: "BROKER_TRUST_UNPROVEN"), Setting(name: "VAPID_SUBJECT"),
        Setting(name: "COUNTERSIGN_CONFIG"),
        Setting(name: "COUNTERSIGN_HOME"),
    ]

    /// A setting's value in an environment, and where it comes from. A secret's value is dots.
    struct Shown: Sendable, Equatable {
        let name: String
        let value: String
        let source: String
    }

    /// Returns every setting that has a value.
    ///
    /// - Parameters:
    ///   - own: the variables as they are set.
    ///   - complete: the same, with those of the household.
    static func shown(_ own: [String: String], _ complete: [String: String], source: String) -> [Shown] {
        all.compactMap { setting in
            let isOwn = !(own[setting.name] ?? "").isEmpty
            let value = complete[setting.name].flatMap { $0.isEmpty ? nil : $0 }
            guard let value else {
                return setting.standard.map { Shown(name: setting.name, value: $0, source: "default") }
            }
            return Shown(
                name: setting.name, value: setting.isSecret ? "••••••••" : value,
                source: isOwn ? source : "countersign up")
        }
    }
}
