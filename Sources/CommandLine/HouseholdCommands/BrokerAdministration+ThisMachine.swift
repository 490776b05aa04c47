import Broker
import BrokerStore
import Foundation
import Terminal

extension HouseholdFile {
    /// True when this machine has the household's broker, and it does not run.
    package static var isBrokerStopped: Bool {
        guard current?.broker != nil, let broker = try? BrokerAdministration.onThisMachine() else { return false }
        return !broker.isRunning
    }
}

extension BrokerAdministration {
    /// Opens the broker whose database `BROKER_DATABASE_PATH` names, else that of the household, whether it runs or not.
    package static func onThisMachine() throws -> BrokerAdministration {
        try BrokerAdministration(environment: HouseholdFile.completing(ProcessInfo.processInfo.environment))
    }

    /// Returns the option that completes a command line where a bank must be named, such as ` --bank my-bank`; an empty text
    /// where none must.
    ///
    /// - Parameter preferred: the bank to name if it is one of them.
    package func bankOption(preferring preferred: String? = nil) async throws -> String {
        guard case .oneOf(let ids) = try await usualBank() else { return "" }
        return " --bank " + (ids.first { $0 == preferred } ?? ids[0])
    }
}
