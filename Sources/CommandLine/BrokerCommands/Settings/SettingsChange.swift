import Archive
import Broker
import Encodings
import Foundation
import HouseholdCommands
import Secrets
import Terminal

/// A change of the settings of this machine's household. It is kept only if the broker and the phone could start with it.
struct SettingsChange {
    private enum Step {
        case value(String)
        case credential(Secret)
        case unset
    }

    /// The household's file.
    private let file: URL
    private let household: HouseholdFile
    private var steps: [(setting: Setting, step: Step)] = []

    /// - Throws: ``CommandFailure`` when this machine has no household, or its file cannot be read.
    init(file: URL = HouseholdFile.place()) throws(CommandFailure) {
        self.file = file
        household = try Self.household(file)
    }

    private static func household(_ file: URL) throws(CommandFailure) -> HouseholdFile {
        guard let household = try HouseholdFile.read(file) else {
            throw CommandFailure(
                "no household is on this machine to keep settings; set one up with countersign up, or set the variable where the broker "
                    + "is started", status: 2)
        }
        return household
    }

    /// - Parameter value: a path may be relative to this folder, or begin with `~`.
    mutating func set(_ setting: Setting, to value: String) throws(CommandFailure) {
        guard !value.isEmpty else {
            throw CommandFailure(
                "\(setting.name) has no value; to go back to the usual one: countersign config unset \(setting.name)",
                status: 2)
        }
        guard value.utf8.count <= 4096, value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw CommandFailure(
                "the value of \(setting.name) must be one line of at most 4096 bytes, without control characters",
                status: 2)
        }
        let isFolderless = setting.name == BrokerSetting.archive.name && value == "none"
        let isPath = setting.isPath && !isFolderless
        try add(setting, .value(isPath ? URL(filePath: TypedPath.expanded(value)).standardizedFileURL.path : value))
    }

    mutating func set(_ setting: Setting, to secret: Secret) throws(CommandFailure) {
        guard !secret.isEmpty else {
            throw CommandFailure("no value was given for \(setting.name); nothing was changed")
        }
        try add(setting, .credential(secret))
    }

    mutating func unset(_ setting: Setting) throws(CommandFailure) { try add(setting, .unset) }

    private mutating func add(_ setting: Setting, _ step: Step) throws(CommandFailure) {
        guard !steps.contains(where: { $0.setting.name == setting.name }) else {
            throw CommandFailure("\(setting.name) is named twice; name it once", status: 2)
        }
        // A part on another machine has its settings there.
        if HouseholdFile.isOfPhone(setting.name) {
            guard household.phone != nil else { throw household.lacksPhone }
        } else {
            guard household.broker != nil else { throw household.lacksBroker }
        }
        steps.append((setting, step))
    }

    /// A change that was made, by the names of settings.
    struct Outcome {
        /// Those with another value than before.
        var changed: [String] = []
        /// Those that had the value already.
        var unchanged: [String] = []
    }

    /// Keeps the settings.
    ///
    /// - Throws: ``CommandFailure`` with every new problem that a part would have with them. Nothing was changed then.
    func keep() async throws -> Outcome {
        let lock = try HouseholdFile.lock(file)
        defer { withExtendedLifetime(lock) {} }
        // Read again: the person may have been asked for a value, and another command may have changed others.
        let before = try Self.household(file)
        var after = before
        var outcome = Outcome()
        for (setting, step) in steps {
            let former = after
            apply(step, of: setting, to: &after)
            if after == former {
                outcome.unchanged.append(setting.name)
            } else {
                outcome.changed.append(setting.name)
            }
        }
        guard !outcome.changed.isEmpty else { return outcome }
        let folder = after.broker?.statements
        let isNew =
            folder.map { $0 != before.broker?.statements && !FileManager.default.fileExists(atPath: $0.path) } ?? false
        do {
            if let folder, folder != before.broker?.statements {
                _ = try HouseholdStatements(typed: folder.path, dataFolder: HouseholdFile.dataFolder())
                    .folder(besides: after.inbox)
            }
            try await Self.check(after, besides: before)
            try after.replace(file)
        } catch {
            // It was made for the look, and holds no document.
            if isNew, let folder { try? FileManager.default.removeItem(at: folder) }
            throw error
        }
        return outcome
    }

    private func apply(_ step: Step, of setting: Setting, to household: inout HouseholdFile) {
        guard setting.name != BrokerSetting.archive.name else {
            if case .value(let path) = step, path != "none" {
                household.broker?.statements = URL(filePath: path, directoryHint: .isDirectory)
            } else {
                household.broker?.statements = nil
            }
            return
        }
        switch step {
        case .value(let value): household.settings.set(setting.name, to: value)
        case .credential(let secret): household.settings.set(setting.name, to: secret)
        case .unset: household.settings.remove(setting.name)
        }
    }

    /// - Throws: ``CommandFailure`` with the problems that were not there before: a disk that is away has nothing to do with a change.
    private static func check(_ after: HouseholdFile, besides before: HouseholdFile) async throws {
        let known = await problems(of: before)
        let problems = await problems(of: after).filter { !known.contains($0) }
        guard problems.isEmpty else {
            throw CommandFailure(problems.joined(separator: "\n") + "\n" + HouseholdSetting.nothingChanged, status: 2)
        }
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
        // It is looked at also where no folder for statements is chosen yet.
        do throws(ArchiveError) {
            _ = try FilingTemplate(household.filingTemplate)
        } catch {
            return problems + ["\(BrokerSetting.archiveTemplate.name): \(error)"]
        }
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
