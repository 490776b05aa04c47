import Foundation

// The variables of the household's broker.

extension HouseholdFile {
    /// The variables of which any one says that the broker is configured by hand; see ``isOverridden(_:)``.
    private static let ownVariables = [
        "BROKER_DATABASE_PATH", "ICLOUD_INBOX_PATH", "BROKER_API_TOKEN", "PHONE_API_TOKEN", "BROKER_URL", "BROKER_HOST",
        "BROKER_PORT", "BROKER_SOCKET",
    ]

    /// The paths of documents in a household's folder of statements.
    package static let filingTemplate = "{{ bank }}/{{ account }}/{{ year }}/{{ period }} statement"

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
        return try broker.variables(inbox: household.inbox, bank: household.phone?.bankID).merging(environment) { $1 }
    }

    /// Returns true when the environment configures a broker itself. The household's file then does not count for the
    /// broker.
    package static func isOverridden(_ environment: [String: String]) -> Bool {
        let environment = ServiceCredentials.completing(environment)
        return ownVariables.contains { !(environment[$0] ?? "").isEmpty }
    }
}

extension HouseholdFile.Broker {
    /// - Parameter bank: that of the household's phone; nil for a phone on another machine, which tells its banks itself.
    fileprivate func variables(inbox: URL, bank: String?) throws -> [String: String] {
        var variables = [
            "BROKER_DATABASE_PATH": database.path, "BROKER_PORT": "\(port)", "BROKER_HOST": "127.0.0.1",
            "ICLOUD_INBOX_PATH": inbox.path, "BROKER_DEFAULT_DEVICE": "off",
            "BROKER_API_TOKEN": try Asking.secret(inFile: agentToken.path).revealed(),
            "BROKER_SEALING_SECRET": try Asking.secret(inFile: sealingSecret.path).revealed(),
        ]
        variables["BROKER_SOCKET"] = socket?.file.path
        variables["BROKER_BANK_ID"] = bank
        if let statements {
            variables["BROKER_ARCHIVE_PATH"] = statements.path
            variables["BROKER_ARCHIVE_TEMPLATE"] = HouseholdFile.filingTemplate
        }
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
