import ArgumentParser
import Encodings
import Foundation
import HouseholdCommands
import Secrets
import Terminal

struct ConfigSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change settings of this machine's household, for now and for later starts.",
        discussion: """
            Give NAME=VALUE, or NAME alone to be asked. A credential is always asked for, because other programs can read a \
            command line, or read from --secret-file. All that is given is checked together, and kept in the household's file, \
            which only you can read. A household that runs takes what its broker is told within a few seconds, and what its page \
            is told at its next start. A broker that you start with variables of your own reads those instead.

            SETTINGS, in brackets their usual values
            \(HouseholdSetting.all.flatMap(\.helpLines).joined(separator: "\n"))
            """)

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the credential, if one is set; - for standard input.", valueName: "file"))
    var secretFile: String?

    @Option(
        help: ArgumentHelp(
            "A setting that is to be as usual again, at the same time; can be repeated.", valueName: "name"),
        completion: .list(HouseholdSetting.all.map(\.name)))
    var unset: [String] = []

    @Argument(
        help: ArgumentHelp("The settings.", valueName: "name[=value]"),
        completion: .list(HouseholdSetting.all.map(\.name)))
    var settings: [String] = []

    func validate() throws {
        guard !settings.isEmpty || !unset.isEmpty else {
            throw ValidationError("name a setting, such as BROKER_LANGUAGE=de; --help lists them")
        }
    }

    /// Returns a setting, and the value that was typed after it.
    private static func parsed(_ argument: String) throws(CommandFailure) -> (Setting, String?) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let setting = try HouseholdSetting.named(parts[0])
        guard !setting.isSecret || parts.count == 1 else {
            throw CommandFailure(
                "\(setting.name) is a credential, which other programs can read on a command line; leave its value out, and you are "
                    + "asked for it, or give --secret-file. Replace a credential that was typed", status: 2)
        }
        return (setting, parts.count == 1 ? nil : parts[1])
    }

    func run() async throws {
        try await reportingFailures {
            var change = try SettingsChange()
            let given = try settings.map(Self.parsed)
            guard secretFile == nil || given.filter(\.0.isSecret).count == 1 else {
                throw CommandFailure("--secret-file has the value of one credential; name that one alone", status: 2)
            }
            for (setting, value) in given {
                if setting.isSecret {
                    try change.set(setting, to: try secret(for: setting))
                } else {
                    try change.set(setting, to: try value ?? asked(for: setting))
                }
            }
            for typed in unset { _ = change.remove(try HouseholdSetting.named(typed)) }
            try await change.keep(telling: "set")
        }
    }

    private func secret(for setting: Setting) throws -> Secret {
        if let secretFile { return try Asking.secret(inFile: secretFile) }
        guard Asking.isPossible else {
            throw CommandFailure(
                "\(setting.name) is a credential; without a terminal, give it with --secret-file", status: 2)
        }
        guard let typed = Asking.secret("\(setting.name), \(setting.purpose):") else {
            throw CommandFailure("no value was given for \(setting.name); nothing was changed")
        }
        return typed
    }

    private func asked(for setting: Setting) throws -> String {
        guard Asking.isPossible else {
            throw CommandFailure("\(setting.name) has no value; write \(setting.name)=VALUE", status: 2)
        }
        guard let typed = Asking.line("\(setting.name), \(setting.purpose):")?.trimmingCharacters(in: .whitespaces)
        else {
            throw CommandFailure("no value was given for \(setting.name); nothing was changed")
        }
        return typed
    }
}

struct ConfigUnsetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset", abstract: "Let settings of this machine's household be as usual again.",
        discussion: "What was set with config set is forgotten; see countersign config show.")

    @Argument(
        help: ArgumentHelp("The settings.", valueName: "name"), completion: .list(HouseholdSetting.all.map(\.name)))
    var settings: [String]

    func run() async throws {
        try await reportingFailures {
            var change = try SettingsChange()
            for typed in settings {
                let setting = try HouseholdSetting.named(typed)
                if !change.remove(setting) { Console.standard.line("\(setting.name) was not set.") }
            }
            try await change.keep(telling: "as usual again")
        }
    }
}

extension SettingsChange {
    /// Keeps the change, and says when the household takes it.
    ///
    /// - Parameter state: what the settings are now, for a sentence.
    fileprivate func keep(telling state: String) async throws {
        let (broker, phone) = try await keep()
        guard !broker.isEmpty || !phone.isEmpty else { return }
        let all = broker + phone
        await OwnerRecords.record(.settingsChanged, ["settings": .string(all.joined(separator: ", "))])
        Console.standard.line("\(all.listed) \(all.count == 1 ? "is" : "are") \(state).")
        guard RunningHousehold(dataFolder: HouseholdFile.dataFolder()).isRunning else { return }
        if !broker.isEmpty { Console.standard.line("The broker that runs starts anew with it in a few seconds.") }
        if !phone.isEmpty {
            Console.standard.line(
                "The page takes \(phone.listed) at its next start: countersign up --stop, then countersign up")
        }
    }
}
