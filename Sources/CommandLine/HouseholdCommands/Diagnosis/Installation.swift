import Broker
import Foundation
import Terminal

/// The parts of Countersign on this machine, as far as files and variables tell.
struct Installation: Sendable {
    let configFile: URL
    let dataFolder: URL
    /// The household of `countersign up`; nil without one, or when its file cannot be used.
    let household: HouseholdFile?
    /// The reason why the household's file, or a file that it names, cannot be used.
    let problem: String?
    let phoneHome: URL
    /// The broker's variables, those of the household included.
    let environment: [String: String]
    /// The address of a broker elsewhere that an agent on this machine asks.
    let brokerAddress: String?

    init(environment own: [String: String], phoneHome: URL) {
        configFile = HouseholdFile.place(own)
        dataFolder = HouseholdFile.dataFolder(own)
        self.phoneHome = phoneHome
        brokerAddress = own["BROKER_URL"].flatMap { $0.isEmpty ? nil : $0 }
        do {
            household = try HouseholdFile.read(configFile)
        } catch {
            (household, problem, environment) = (nil, error.message, own)
            return
        }
        do {
            // A household with its broker on another machine has no variables for one here.
            environment = try HouseholdFile.completing(own, with: household?.broker == nil ? nil : household)
            problem = nil
        } catch {
            (environment, problem) = (own, "\(error)")
        }
    }

    var hasPhone: Bool { FileManager.default.fileExists(atPath: phoneHome.path) }

    /// True when a broker is configured here, by the household or by variables.
    var hasBroker: Bool {
        household?.broker != nil || isSet("ICLOUD_INBOX_PATH") || isSet("BROKER_API_TOKEN") && !isSet("BROKER_URL")
    }

    var isEmpty: Bool { !hasPhone && !hasBroker && brokerAddress == nil }

    var database: URL { BrokerConfiguration.database(environment) }

    var usesTelegram: Bool { isSet("TELEGRAM_BOT_TOKEN") }

    /// The folder that phone and broker share; nil when no variable and no household names it.
    var inbox: URL? {
        isSet("ICLOUD_INBOX_PATH")
            ? URL(filePath: TypedPath.expanded(environment["ICLOUD_INBOX_PATH"] ?? ""), directoryHint: .isDirectory)
            : household?.broker == nil ? household?.inbox : nil
    }

    /// The folder in which the broker files its documents; nil without one.
    var archive: URL? {
        guard hasBroker, let path = environment["BROKER_ARCHIVE_PATH"], !path.isEmpty else { return nil }
        return URL(filePath: TypedPath.expanded(path), directoryHint: .isDirectory)
    }

    func isSet(_ variable: String) -> Bool { !(environment[variable] ?? "").isEmpty }
}
