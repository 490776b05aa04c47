import Foundation
import Secrets
import Signer

extension BrokerConfiguration {
    /// Reads the specification's variables and those that this broker adds.
    ///
    /// - Parameter usesTelegram: false leaves the bot out, and its variables unread.
    /// - Throws: ``BrokerConfigurationError`` with every problem.
    public init(environment: [String: String], usesTelegram: Bool = true) throws(BrokerConfigurationError) {
        var reader = EnvironmentReader(environment)
        let agentToken = reader.secret("BROKER_API_TOKEN", "the token that agents show")
        let phoneToken = reader.secret("PHONE_API_TOKEN", "the token that the phone shows")
        let secretBytes = reader.secret("BROKER_PHONE_SHARED_SECRET", "the key that broker and phone share")
        let inbox = reader.folder("ICLOUD_INBOX_PATH", "the synced folder that the phone writes to")
        let port = reader.whole("BROKER_PORT", in: 0...65_535, otherwise: 8765)
        let approvalTTL = reader.whole("BROKER_APPROVAL_TTL_SECONDS", in: 1...86_400, otherwise: 300)
        let executionTimeout = reader.whole("BROKER_EXECUTION_TIMEOUT_SECONDS", in: 1...86_400, otherwise: 600)
        let host = environment["BROKER_HOST"] ?? "127.0.0.1"
        if !["127.0.0.1", "localhost", "::1"].contains(host) {
            reader.report("BROKER_HOST is \(host); this broker speaks plain HTTP and binds to 127.0.0.1 or ::1 alone")
        }
        var telegram: TelegramConfiguration?
        if usesTelegram {
            let token = reader.secret(
                "TELEGRAM_BOT_TOKEN", "the bot that nudges you, or run with --no-telegram", minimum: 1)
            let chat = reader.text("TELEGRAM_PHONE_CHAT_ID", "the chat that it writes to, or run with --no-telegram")
            if let token, let chat { telegram = TelegramConfiguration(token: token, chatID: chat) }
            if let base = environment["TELEGRAM_API_BASE_URL"] { telegram?.baseURL = base }
        }
        if let agentToken, let phoneToken, agentToken.isEqual(to: phoneToken) {
            reader.report("BROKER_API_TOKEN and PHONE_API_TOKEN are the same; an agent could then approve. Make two")
        }
        guard reader.problems.isEmpty, let agentToken, let phoneToken, let secretBytes, let inbox, let port,
            let approvalTTL, let executionTimeout, let shared = try? SharedSecret(secretBytes)
        else { throw BrokerConfigurationError(problems: reader.problems) }
        self.init(
            agentToken: agentToken, phoneToken: phoneToken, sharedSecret: shared, telegram: telegram, inbox: inbox,
            database: Self.database(environment), host: host, port: port, approvalTTL: .seconds(approvalTTL),
            executionTimeout: .seconds(executionTimeout))
    }

    /// `BROKER_DATABASE_PATH`, else `~/.local/share/countersign/broker.sqlite` (XDG Base Directory Specification).
    private static func database(_ environment: [String: String]) -> URL {
        if let path = environment["BROKER_DATABASE_PATH"], !path.isEmpty {
            return URL(filePath: expanded(path, environment)).standardizedFileURL
        }
        let data = environment["XDG_DATA_HOME"] ?? expanded("~/.local/share", environment)
        return URL(filePath: data).appending(path: "countersign/broker.sqlite")
    }

    /// A leading `~` is the home folder, `HOME` if it is set.
    fileprivate static func expanded(_ path: String, _ environment: [String: String]) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return (environment["HOME"] ?? NSHomeDirectory()) + path.dropFirst()
    }
}

private struct EnvironmentReader {
    private let environment: [String: String]
    private(set) var problems: [String] = []

    init(_ environment: [String: String]) {
        self.environment = environment
    }

    mutating func report(_ problem: String) { problems.append(problem) }

    mutating func text(_ name: String, _ what: String) -> String? {
        guard let value = environment[name], !value.isEmpty else {
            report("\(name) is not set: \(what)")
            return nil
        }
        return value
    }

    mutating func secret(_ name: String, _ what: String, minimum: Int = SharedSecret.minimumLength) -> Secret? {
        guard let value = text(name, what) else { return nil }
        guard value.utf8.count >= minimum else {
            report("\(name) has \(value.utf8.count) bytes; it needs \(minimum). Make one with: openssl rand -hex 32")
            return nil
        }
        return Secret(value)
    }

    mutating func folder(_ name: String, _ what: String) -> URL? {
        guard let value = text(name, what) else { return nil }
        let path = BrokerConfiguration.expanded(value, environment)
        let folder = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue,
            access(folder.path, R_OK | W_OK | X_OK) == 0
        else {
            report("\(name) is \(value), which is no folder that can be read and written; make it, or check the sync")
            return nil
        }
        return folder
    }

    mutating func whole(_ name: String, in range: ClosedRange<Int>, otherwise: Int) -> Int? {
        guard let value = environment[name], !value.isEmpty else { return otherwise }
        guard let number = Int(value), range.contains(number) else {
            report("\(name) is “\(value)”; it is a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }
}
