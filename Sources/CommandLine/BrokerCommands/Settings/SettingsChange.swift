import Broker
import Encodings
import Foundation
import HouseholdCommands
import Secrets
import Terminal

/// A change of the settings of this machine's household. It is kept only if the broker and the phone could start with it.
struct SettingsChange {
    /// The household's file.
    private let file: URL
    private let household: HouseholdFile
    private var after: HouseholdFile
    private var changed: [Setting] = []

    /// - Throws: ``CommandFailure`` when this machine has no household, or its file cannot be read.
    init(file: URL = HouseholdFile.place()) throws(CommandFailure) {
        guard let household = try HouseholdFile.read(file) else {
            throw CommandFailure(
                "no household is on this machine to keep settings; set one up with countersign up, or set the variable where the broker "
                    + "is started", status: 2)
        }
        (self.file, self.household, after) = (file, household, household)
    }

    /// - Parameter value: a path may be relative to this folder, or begin with `~`.
    mutating func set(_ setting: Setting, to value: String) throws(CommandFailure) {
        try checkIsHere(setting)
        guard !value.isEmpty else {
            throw CommandFailure(
                "\(setting.name) has no value; to go back to the usual one: countersign config unset \(setting.name)",
                status: 2)
        }
        if setting.name == BrokerSetting.archive.name {
            after.broker?.statements = try HouseholdStatements(typed: value, dataFolder: HouseholdFile.dataFolder())
                .folder(besides: household.inbox)
        } else {
            let path = setting.isPath ? URL(filePath: TypedPath.expanded(value)).standardizedFileURL.path : value
            after.settings.set(setting.name, to: path)
        }
        changed.append(setting)
    }

    mutating func set(_ setting: Setting, to secret: Secret) throws(CommandFailure) {
        try checkIsHere(setting)
        guard !secret.isEmpty else {
            throw CommandFailure("no value was given for \(setting.name); nothing was changed")
        }
        after.settings.set(setting.name, to: secret)
        changed.append(setting)
    }

    /// - Returns: false when it was not set.
    mutating func remove(_ setting: Setting) -> Bool {
        if setting.name == BrokerSetting.archive.name {
            guard after.broker?.statements != nil else { return false }
            after.broker?.statements = nil
        } else {
            guard after.settings.names.contains(setting.name) else { return false }
            after.settings.remove(setting.name)
        }
        changed.append(setting)
        return true
    }

    /// Refuses a setting of a part that is on another machine.
    private func checkIsHere(_ setting: Setting) throws(CommandFailure) {
        if HouseholdFile.isOfPhone(setting.name) {
            guard household.phone != nil else { throw household.lacksPhone }
        } else {
            guard household.broker != nil else { throw household.lacksBroker }
        }
    }

    /// Keeps the settings.
    ///
    /// - Returns: the changed settings' names, of the broker and of the phone.
    /// - Throws: ``CommandFailure`` with every new problem that a part would have with them. Nothing was changed then.
    func keep() async throws -> (broker: [String], phone: [String]) {
        // A disk that is away now has nothing to do with the change.
        let before = await Self.problems(of: household)
        let problems = await Self.problems(of: after).filter { !before.contains($0) }
        guard problems.isEmpty else {
            throw CommandFailure(problems.joined(separator: "\n") + "\n" + SettingsWords.nothingChanged, status: 2)
        }
        try HouseholdFile.change(file, to: after)
        let names = changed.map(\.name)
        return (names.filter { !HouseholdFile.isOfPhone($0) }, names.filter(HouseholdFile.isOfPhone))
    }

    /// Returns the problems that the parts of a household have with its settings.
    private static func problems(of household: HouseholdFile) async -> [String] {
        var problems: [String] = []
        func note(_ check: () throws -> Void) {
            do { try check() } catch { problems.append("\(error)") }
        }
        let phone = household.phoneVariables
        note { _ = try PhoneSetting.pushSubject(in: phone) }
        note { _ = try PhoneSetting.retentionDays(in: phone) }
        guard household.broker != nil else { return problems }
        do {
            let variables = try HouseholdFile.completing([:], with: household)
            do throws(BrokerConfigurationError) {
                _ = try BrokerConfiguration(
                    environment: variables, usesTelegram: variables.keys.contains { $0.hasPrefix("TELEGRAM_") })
            } catch {
                problems += error.problems
            }
            _ = try await DocumentPlaces(variables)
        } catch {
            problems.append("\(error)")
        }
        return problems
    }
}
