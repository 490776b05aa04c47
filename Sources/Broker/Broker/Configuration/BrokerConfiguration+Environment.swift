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
        let agentToken = reader.secret(.agentToken)
        let device = reader.defaultDevice()
        let sealing = reader.sealing()
        let inbox = reader.folder(.inbox)
        let port = reader.whole(.port)
        let approvalTTL = reader.whole(.approvalTTL)
        let executionTimeout = reader.whole(.executionTimeout)
        let limits = reader.limits()
        let retention = reader.whole(.retentionDays)
        let tls = reader.tls()
        let host = reader.host
        let socket = reader.socket()
        let endpoint = reader.endpoint()
        let policy = reader.policy()
        let bankID = reader.bankID()
        let language = reader.language()
        let announces = reader.isOn(.discovery)
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
        if reader.value(.sealingSecret) == nil { sealingFile = SealingFile(besideDatabase: database) }
        self.socket = socket
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
        self.language = language
    }

    /// Returns the database's path: `BROKER_DATABASE_PATH`, else `~/.local/share/countersign/broker.sqlite` (XDG Base Directory Specification).
    package static func database(_ environment: [String: String]) -> URL {
        if let path = BrokerSetting.database.value(in: environment) {
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
