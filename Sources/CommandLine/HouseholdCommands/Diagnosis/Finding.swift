import Encodings

/// The result of one check: what was seen, and what to do about it.
struct Finding: Sendable, Equatable {
    enum Severity: String, Sendable {
        case good = "ok"
        /// Everything works today.
        case warning
        case error
    }

    /// The part that was looked at.
    let subject: Subject
    /// Nil when nothing is wrong.
    let code: Code?
    let severity: Severity
    let text: String
    /// The command or the change that helps; nil when nothing is wrong.
    let remedy: String?

    enum Subject: String, Sendable, CaseIterable {
        case program, configuration, permissions, disk, clock, inbox, archive, certificate, broker, telegram, vault
    }

    /// A code never changes its meaning, and a code that is not used any more is not given to something else.
    enum Code: String, Sendable, CaseIterable {
        case nothingSetUp = "NOTHING_SET_UP"
        case oldProgramRuns = "OLD_PROGRAM_RUNS"
        case readerUnusable = "READER_UNUSABLE"
        case readerUnconfined = "READER_UNCONFINED"
        case noLandlock = "NO_LANDLOCK"
        case configurationUnusable = "CONFIGURATION_UNUSABLE"
        case openToOthers = "OPEN_TO_OTHERS"
        case notYours = "NOT_YOURS"
        case diskFull = "DISK_FULL"
        case diskLow = "DISK_LOW"
        case clockBehind = "CLOCK_BEHIND"
        case clockDiffers = "CLOCK_DIFFERS"
        case clockNotSynchronised = "CLOCK_NOT_SYNCHRONISED"
        case inboxMissing = "INBOX_MISSING"
        case inboxNotWritable = "INBOX_NOT_WRITABLE"
        case inboxReadsDiffer = "INBOX_READS_DIFFER"
        case inboxNotSynchronised = "INBOX_NOT_SYNCHRONISED"
        case inboxUnusualFiles = "INBOX_UNUSUAL_FILES"
        case archiveMissing = "ARCHIVE_MISSING"
        case archiveNotWritable = "ARCHIVE_NOT_WRITABLE"
        case certificateUnreadable = "CERTIFICATE_UNREADABLE"
        case certificateExpired = "CERTIFICATE_EXPIRED"
        case certificateEndsSoon = "CERTIFICATE_ENDS_SOON"
        case brokerNotRunning = "BROKER_NOT_RUNNING"
        case brokerPortTaken = "BROKER_PORT_TAKEN"
        case brokerSocketMissing = "BROKER_SOCKET_MISSING"
        case brokerTokenWrong = "BROKER_TOKEN_WRONG"
        case databaseUnusable = "DATABASE_UNUSABLE"
        case telegramUnreachable = "TELEGRAM_UNREACHABLE"
        case channelUnusable = "CHANNEL_UNUSABLE"
        case vaultMissing = "VAULT_MISSING"
        case vaultDamaged = "VAULT_DAMAGED"
        case passphraseDelayed = "PASSPHRASE_DELAYED"
    }

    static func good(_ subject: Subject, _ text: String) -> Finding {
        Finding(subject: subject, code: nil, severity: .good, text: text, remedy: nil)
    }

    static func warning(_ subject: Subject, _ code: Code, _ text: String, remedy: String) -> Finding {
        Finding(subject: subject, code: code, severity: .warning, text: text, remedy: remedy)
    }

    static func error(_ subject: Subject, _ code: Code, _ text: String, remedy: String) -> Finding {
        Finding(subject: subject, code: code, severity: .error, text: text, remedy: remedy)
    }

    var json: JSONValue {
        var fields: [String: JSONValue] = [
            "check": .string(subject.rawValue), "severity": .string(severity.rawValue), "text": .string(text),
        ]
        fields["code"] = code.map { .string($0.rawValue) }
        fields["remedy"] = remedy.map(JSONValue.string)
        return .object(fields)
    }
}
