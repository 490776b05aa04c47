import Broker
import Foundation
import Terminal

extension BrokerAdministration {
    /// Opens the broker whose database `BROKER_DATABASE_PATH` names, else that of the household, whether it runs or not.
    package static func onThisMachine() throws -> BrokerAdministration {
        try BrokerAdministration(environment: HouseholdFile.completing(ProcessInfo.processInfo.environment))
    }
}
