import ApprovalPage
import Foundation
import HouseholdCommands
import Machine
import Secrets
import Terminal

/// The household of this phone, for its page. Settings are changed by `countersign config set`, which checks them as the parts of
/// the household read them.
struct HouseholdOnPage: PageHousehold {
    /// The household's file.
    private let file: URL
    /// The folder for credentials of which a setting names a file. The household's removal deletes it.
    private let home: URL

    /// - Returns: nil when the phone is not that of this user's household.
    init?(ofPhoneIn home: URL) {
        guard let phone = HouseholdFile.current?.phone,
            phone.home.standardizedFileURL.path == home.standardizedFileURL.path
        else { return nil }
        (file, self.home) = (HouseholdFile.place(), home)
    }

    private func household() throws -> HouseholdFile {
        guard let household = try HouseholdFile.read(file) else {
            throw CommandFailure("\(file.path) is not there any more")
        }
        return household
    }

    /// The folder in which documents are filed now.
    var statements: URL? { (try? household())?.broker?.statements }

    func plan() throws -> HouseholdPlan {
        let household = try household()
        var values: [HouseholdField: String] = [:]
        for field in HouseholdField.allCases where !field.isCredential {
            values[field] = household.settings[field.rawValue]
        }
        values[.statements] = household.broker?.statements?.path
        values[.template] = household.filingTemplate
        return HouseholdPlan(
            hasBroker: household.broker != nil, values: values,
            credentials: Set(
                HouseholdField.allCases.filter {
                    $0.isCredential && household.settings.names.contains($0.rawValue)
                }))
    }

    func make(_ change: HouseholdChange) async throws {
        let former = try household().settings
        var arguments = change.values.map { "\($0.rawValue)=\($1)" }
        for field in change.unset { arguments += ["--unset", field.rawValue] }
        var kept: [URL] = []
        var passing: [URL] = []
        do {
            for (field, secret) in change.credentials {
                let file = home.appending(path: Self.prefix + UUID().uuidString)
                try secret.withUnsafeBytes { try AtomicFile.write($0, toNew: file) }
                if field.isFile {
                    kept.append(file)
                    arguments.append("\(field.rawValue)=\(file.path)")
                } else {
                    passing.append(file)
                    arguments += ["--secret-file", file.path, field.rawValue]
                }
            }
            try await Self.set(arguments)
        } catch {
            for file in kept + passing { unlink(file.path) }
            throw error
        }
        for file in passing { unlink(file.path) }
        let present = try household().settings
        for field in HouseholdField.allCases where field.isFile {
            guard let path = former[field.rawValue], path != present[field.rawValue], isOwn(path) else { continue }
            unlink(path)
        }
    }

    private static let prefix = "setting-"

    /// True for a file that the page has made, and not the person.
    private func isOwn(_ path: String) -> Bool {
        let file = URL(filePath: path).standardizedFileURL
        return file.deletingLastPathComponent().path == home.standardizedFileURL.path
            && file.lastPathComponent.hasPrefix(Self.prefix)
    }

    /// - Throws: ``HouseholdRefusal`` with the command's own words.
    private static func set(_ arguments: [String]) async throws {
        let words = try await BlockingWork.run { () throws -> String? in
            let program = try RunningProgram(
                [URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path, "config", "set"] + arguments,
                environment: nil, errors: .withOutput, limit: .seconds(30))
            let printed = program.output(atMost: 8192)
            guard program.end() != .exited(0) else { return nil }
            return String(decoding: printed, as: UTF8.self)
        }
        guard let words else { return }
        let start = "countersign: "
        let lines = words.split(separator: "\n").map(String.init).filter { $0 != SettingsWords.nothingChanged }
        let text = lines.joined(separator: " ")
        throw HouseholdRefusal(text.hasPrefix(start) ? String(text.dropFirst(start.count)) : text)
    }
}
