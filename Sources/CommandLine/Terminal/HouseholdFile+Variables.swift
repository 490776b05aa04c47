import Foundation

// The variables of the household's broker.

extension HouseholdFile {
    /// The variables of which any one says that the broker is configured by hand; see ``isOverridden(_:)``.
    private static let ownVariables = [
        "BROKER_DATABASE_PATH", "ICLOUD_INBOX_PATH", "BROKER_API_TOKEN", "PHONE_API_TOKEN", "BROKER_URL", "BROKER_HOST",
        "BROKER_PORT", "BROKER_SOCKET",
    ]

    /// The paths of documents in a household's folder of statements, unless its settings have others.
    package static let usualTemplate = "{{ bank }}/{{ account }}/{{ year }}/{{ period }} statement"

    /// The names of the variables that the phone of a household takes from its settings; its broker takes the others.
    private static let phoneVariables: Set = ["VAPID_SUBJECT", "PHONE_RETENTION_DAYS"]

    /// The variables by which a household decides itself, or which are for a single command.
    private static let decidedVariables: Set = [
        "BROKER_ARCHIVE_PATH", "ICLOUD_INBOX_PATH", "BROKER_HOST", "BROKER_ENDPOINT", "BROKER_TLS_CERT",
        "BROKER_TLS_KEY",
        "BROKER_BANK_ID", "BROKER_API_TOKEN", "PHONE_API_TOKEN", "BROKER_PHONE_SHARED_SECRET", "BROKER_DEFAULT_DEVICE",
        "BROKER_SEALING_SECRET", "BROKER_DATABASE_PATH", "BROKER_PORT", "BROKER_SOCKET", "BROKER_URL", "BROKER_CA_FILE",
        "BROKER_TRUST_UNPROVEN",
    ]

    /// True for a variable whose value a household's file may have among its settings.
    package static func isSetting(_ name: String) -> Bool {
        if phoneVariables.contains(name) { return true }
        return !decidedVariables.contains(name)
            && name.wholeMatch(of: /(BROKER|TELEGRAM|PAPERLESS)_[A-Z_]+/) != nil
    }

    /// True for a variable that the phone takes, and not the broker.
    package static func isOfPhone(_ name: String) -> Bool { phoneVariables.contains(name) }

    /// The paths of documents in the household's folder of statements.
    package var filingTemplate: String { settings.plain["BROKER_ARCHIVE_TEMPLATE"] ?? Self.usualTemplate }

    /// The settings of the phone, as variables.
    package var phoneVariables: [String: String] {
        settings.variables.filter { Self.isOfPhone($0.key) }
    }

    /// The settings of the broker, as variables.
    package var brokerVariables: [String: String] {
        settings.variables.filter { !Self.isOfPhone($0.key) }
    }

    /// Returns the environment with a service's credentials, and with the variables of the household's broker unless it
    /// configures a broker itself.
    ///
    /// - Throws: ``CommandFailure`` when the household's broker is on another machine, or the agent's token or the sealing
    ///   secret cannot be read.
    package static func completing(
        _ environment: [String: String], with household: HouseholdFile? = current
    ) throws -> [String: String] {
        let environment = ServiceCredentials.completing(environment)
        guard let household, !isOverridden(environment) else { return environment }
        guard let broker = household.broker else { throw household.lacksBroker }
        return try household.brokerVariables
            .merging(household.variables(of: broker)) { $1 }
            .merging(environment) { $1 }
    }

    /// Returns true when the environment configures a broker itself. The household's file then does not count for the
    /// broker.
    package static func isOverridden(_ environment: [String: String]) -> Bool {
        let environment = ServiceCredentials.completing(environment)
        return ownVariables.contains { !(environment[$0] ?? "").isEmpty }
    }
}

extension HouseholdFile {
    /// The variables by which the household decides itself. A phone on another machine tells its banks itself.
    fileprivate func variables(of broker: Broker) throws -> [String: String] {
        var variables = try broker.variables()
        variables["ICLOUD_INBOX_PATH"] = inbox.path
        variables["BROKER_BANK_ID"] = phone?.bankID
        if let statements = broker.statements {
            variables["BROKER_ARCHIVE_PATH"] = statements.path
            variables["BROKER_ARCHIVE_TEMPLATE"] = filingTemplate
        }
        return variables
    }
}

extension HouseholdFile.Broker {
    fileprivate func variables() throws -> [String: String] {
        var variables = [
            "BROKER_DATABASE_PATH": database.path, "BROKER_PORT": "\(port)", "BROKER_HOST": "127.0.0.1",
            "BROKER_DEFAULT_DEVICE": "off",
            "BROKER_API_TOKEN": try Asking.secret(inFile: agentToken.path).revealed(),
            "BROKER_SEALING_SECRET": try Asking.secret(inFile: sealingSecret.path).revealed(),
        ]
        variables["BROKER_SOCKET"] = socket?.file.path
        if hostName != nil {
            // All networks. The broker then serves with its own certificate, which phones pin.
            variables["BROKER_HOST"] = Self.everyNetwork
            variables["BROKER_CA_FILE"] = database.deletingLastPathComponent().appending(path: "broker.pem").path
            variables["BROKER_URL"] = address
        }
        if hostName != nil || proxied != nil { variables["BROKER_ENDPOINT"] = endpoint }
        return variables
    }

    /// Both families where the machine has IPv6, as almost all have.
    private static var everyNetwork: String {
        FileManager.default.fileExists(atPath: "/proc/net/if_inet6") ? "::" : "0.0.0.0"
    }
}
