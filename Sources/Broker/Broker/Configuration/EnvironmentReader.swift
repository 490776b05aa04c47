import Foundation
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
            report(
                "\(name) has \(value.utf8.count) bytes; it needs at least \(minimum). Make one with: openssl rand -hex 32"
            )
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
            report("\(name) is \(value), which is not a readable and writable folder; make it, or check the sync")
            return nil
        }
        return folder
    }

    mutating func whole(_ name: String, in range: ClosedRange<Int>, otherwise: Int) -> Int? {
        guard let value = environment[name], !value.isEmpty else { return otherwise }
        guard let number = Int(value), range.contains(number) else {
            report("\(name) is “\(value)”; it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    mutating func isOn(_ name: String, otherwise: Bool) -> Bool {
        switch environment[name]?.lowercased() {
        case nil, "": return otherwise
        case "on", "true", "yes", "1": return true
        case "off", "false", "no", "0": return false
        default:
            report("\(name) is “\(environment[name] ?? "")”; it must be on or off")
            return otherwise
        }
    }
}
