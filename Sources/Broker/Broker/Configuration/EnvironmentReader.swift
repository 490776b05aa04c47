import Foundation
import Machine
import Secrets
import Signer

/// Reads variables one by one and collects their problems, so that all are reported at once.
struct EnvironmentReader {
    let environment: [String: String]
    private(set) var problems: [String] = []

    init(_ environment: [String: String]) {
        self.environment = environment
    }

    mutating func report(_ problem: String) { problems.append(problem) }

    /// Returns a setting's own value; nil when it is not set.
    func value(_ setting: BrokerSetting) -> String? { setting.value(in: environment) }

    /// Reports a setting that is not set.
    mutating func text(_ setting: BrokerSetting) -> String? {
        guard let value = value(setting) else {
            report("\(setting.name) is not set: \(setting.purpose)")
            return nil
        }
        return value
    }

    mutating func secret(_ setting: BrokerSetting, minimum: Int = SharedSecret.minimumLength) -> Secret? {
        guard let value = text(setting) else { return nil }
        guard value.utf8.count >= minimum else {
            report(
                "\(setting.name) has \(value.utf8.count) bytes; it needs at least \(minimum). Make one with: "
                    + "openssl rand -hex 32")
            return nil
        }
        return Secret(value)
    }

    mutating func folder(_ setting: BrokerSetting) -> URL? {
        guard let value = text(setting) else { return nil }
        let path = BrokerConfiguration.expanded(value, environment)
        let folder = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
        do {
            try PrivateFolder.checkWritable(folder)
        } catch {
            report(
                error.code == ENOENT
                    ? "\(setting.name) is \(value), which is not a readable and writable folder; make it, or check the sync"
                    : "\(setting.name) is \(value), but \(error)")
            return nil
        }
        return folder
    }

    /// Returns a number, and the setting's own where the variable is not set; nil for one that is not in its range.
    mutating func whole(_ setting: BrokerSetting) -> Int? {
        guard case .number(let range) = setting.form else { preconditionFailure("\(setting.name) is not a number") }
        guard let value = value(setting) else { return setting.standard.flatMap { Int($0) } }
        guard let number = Int(value), range.contains(number) else {
            report(
                "\(setting.name) is “\(value)”; it must be a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound)")
            return nil
        }
        return number
    }

    mutating func isOn(_ setting: BrokerSetting) -> Bool {
        switch (value(setting) ?? setting.standard)?.lowercased() {
        case "on", "true", "yes", "1": return true
        case "off", "false", "no", "0": return false
        default:
            report("\(setting.name) is “\(value(setting) ?? "")”; it must be on or off")
            return setting.standard == "on"
        }
    }
}
