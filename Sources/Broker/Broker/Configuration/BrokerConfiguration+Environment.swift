import BrokerStore
import Foundation
import Secrets

extension BrokerConfiguration {
    /// Reads the specification's variables and those that this broker adds.
    ///
    /// - Parameters:
    ///   - usesTelegram: false to run without the bot and leave its variables unread.
    ///   - allowsPlainHTTP: true to serve other machines over plain HTTP, behind a proxy that does TLS. Otherwise the broker
    ///     serves them with its own certificate unless `BROKER_TLS_CERT` names another.
    /// - Throws: ``BrokerConfigurationError`` with every problem.
    public init(
        environment: [String: String], usesTelegram: Bool = true, allowsPlainHTTP: Bool = false
    ) throws(BrokerConfigurationError) {
        var reader = EnvironmentReader(environment)
        let agentToken = reader.secret("BROKER_API_TOKEN", "the token that agents show")
        let device = reader.defaultDevice()
        let sealing = reader.sealing()
        let inbox = reader.folder("ICLOUD_INBOX_PATH", "the synced folder that the phone writes to")
        let port = reader.whole("BROKER_PORT", in: 0...65_535, otherwise: 8765)
        let approvalTTL = reader.whole("BROKER_APPROVAL_TTL_SECONDS", in: 1...86_400, otherwise: 300)
        let executionTimeout = reader.whole("BROKER_EXECUTION_TIMEOUT_SECONDS", in: 1...86_400, otherwise: 600)
        let limits = reader.limits()
        let retention = reader.whole("BROKER_RETENTION_DAYS", in: 0...36_500, otherwise: 0)
        let tls = reader.tls()
        let host = reader.host
        let endpoint = reader.endpoint()
        let policy = reader.policy()
        let bankID = reader.bankID()
        let announces = reader.isOn("BROKER_DISCOVERY", otherwise: false)
        let telegram = usesTelegram ? reader.telegram() : nil
        let paperless = reader.paperless()
        let webhook = reader.webhook()
        if let agentToken, let device, agentToken.isEqual(to: device.token) {
            reader.report(
                "BROKER_API_TOKEN and PHONE_API_TOKEN are the same, so an agent could approve; use two tokens")
        }
        guard reader.problems.isEmpty, let agentToken, let sealing, let inbox, let port, let approvalTTL,
            let executionTimeout
        else { throw BrokerConfigurationError(problems: reader.problems) }
        self.init(
            agentToken: agentToken, sealing: sealing, telegram: telegram, inbox: inbox,
            database: Self.database(environment), host: host, port: port, approvalTTL: .seconds(approvalTTL),
            executionTimeout: .seconds(executionTimeout))
        defaultDevice = device
        if (environment["BROKER_SEALING_SECRET"] ?? "").isEmpty { sealingFile = SealingFile(besideDatabase: database) }
        self.tls = tls
        usesOwnCertificate = !reader.isLoopback && tls == nil && !allowsPlainHTTP
        self.endpoint = endpoint
        self.policy = policy
        policyFile = reader.policyFile
        self.announces = announces
        self.limits = limits
        self.paperless = paperless
        self.webhook = webhook
        retentionDays = retention == 0 ? nil : retention
        self.bankID = bankID
    }

    /// Returns the database's path: `BROKER_DATABASE_PATH`, else `~/.local/share/countersign/broker.sqlite` (XDG Base Directory Specification).
    public static func database(_ environment: [String: String]) -> URL {
        if let path = environment["BROKER_DATABASE_PATH"], !path.isEmpty {
            return URL(filePath: expanded(path, environment)).standardizedFileURL
        }
        let data = environment["XDG_DATA_HOME"] ?? expanded("~/.local/share", environment)
        return URL(filePath: data).appending(path: "countersign/broker.sqlite")
    }

    /// Replaces a leading `~` with the home folder, `HOME` if it is set.
    static func expanded(_ path: String, _ environment: [String: String]) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return (environment["HOME"] ?? NSHomeDirectory()) + path.dropFirst()
    }
}
