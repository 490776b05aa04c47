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

    /// - Returns: nil when the phone is not that of this user's household.
    init?(ofPhoneIn home: URL) {
        guard HouseholdFile.current?.phone?.isIn(home) == true else { return nil }
        file = HouseholdFile.place()
    }

    private func household() throws -> HouseholdFile {
        guard let household = try HouseholdFile.read(file) else {
            throw CommandFailure("\(file.path) is not there any more")
        }
        return household
    }

    /// The folder in which documents are filed now.
    var statements: URL? { (try? household())?.broker?.statements }

    /// True while the household's broker is on this machine.
    var hasBroker: Bool { (try? household())?.broker != nil }

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
                HouseholdField.allCases.filter { field in
                    field.isCredential
                        && [field.rawValue, field.fileSetting].contains { name in
                            name.map(household.settings.names.contains) ?? false
                        }
                }))
    }

    func make(_ change: HouseholdChange) async throws {
        let present = try household().settings.names
        var arguments = change.values.map { "\($0.rawValue)=\($1)" }
        var secrets: [Secret] = []
        for (field, secret) in change.credentials {
            arguments.append(field.rawValue)
            secrets.append(secret)
            if let file = field.fileSetting, present.contains(file) { arguments += ["--unset", file] }
        }
        for field in change.unset {
            for name in [field.rawValue, field.fileSetting ?? ""]
            where present.contains(name) || field == .statements && name == field.rawValue {
                arguments += ["--unset", name]
            }
        }
        if !secrets.isEmpty { arguments += ["--secret-file", "-"] }
        try await Self.set(arguments, secrets)
    }

    /// - Throws: ``HouseholdRefusal`` with the command's own words.
    private static func set(_ arguments: [String], _ secrets: [Secret]) async throws {
        let words = try await BlockingWork.run { () throws -> String? in
            let program = try RunningProgram(
                [URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path, "config", "set"] + arguments,
                environment: nil, input: .written, errors: .withOutput, limit: .seconds(60))
            for secret in secrets {
                try secret.withUnsafeBytes { try program.write($0) }
                try program.write([0x0A])
            }
            program.endInput()
            let printed = program.output(atMost: 8192)
            guard program.end() != .exited(0) else { return nil }
            return String(decoding: printed, as: UTF8.self)
        }
        guard let words else { return }
        let start = "countersign: "
        let lines = words.split(separator: "\n").map(String.init).filter { $0 != HouseholdSetting.nothingChanged }
        let text = lines.joined(separator: " ")
        throw HouseholdRefusal(text.hasPrefix(start) ? String(text.dropFirst(start.count)) : text)
    }
}
