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
            "A file with a line for each credential that is named, in their order; - for standard input.",
            valueName: "file"))
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
            var credentials = try secretFile.map { try Self.lines(of: $0) } ?? []
            let count = given.count(where: \.0.isSecret)
            guard secretFile == nil || credentials.count == count else {
                throw CommandFailure(
                    "\(count.counted("credential")) \(count == 1 ? "is" : "are") named, and --secret-file has "
                        + "\(credentials.count.counted("line")); it needs a line for each", status: 2)
            }
            for (setting, value) in given {
                if setting.isSecret {
                    let secret = try secretFile == nil ? typedSecret(for: setting) : credentials.removeFirst()
                    try change.set(setting, to: secret)
                } else {
                    try change.set(setting, to: try value ?? asked(for: setting))
                }
            }
            for typed in unset { try change.unset(try HouseholdSetting.named(typed)) }
            try await change.keepAndTell()
        }
    }

    private static func lines(of path: String) throws -> [Secret] {
        var bytes = try TypedPath.bytes(path, atMost: 1 << 16)
        defer { bytes.wipe() }
        return bytes.split(separator: 0x0A).map { line in Secret(bytes: line.last == 0x0D ? line.dropLast() : line) }
    }

    private func typedSecret(for setting: Setting) throws -> Secret {
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
            for typed in settings { try change.unset(try HouseholdSetting.named(typed)) }
            try await change.keepAndTell()
        }
    }
}

extension SettingsChange {
    /// Keeps the change, and says when the household takes it.
    fileprivate func keepAndTell() async throws {
        let outcome = try await keep()
        if !outcome.unchanged.isEmpty {
            Console.standard.line("\(Self.sentence(outcome.unchanged)) as before.")
        }
        guard !outcome.changed.isEmpty else { return }
        await OwnerRecords.record(.settingsChanged, ["settings": .string(outcome.changed.joined(separator: ", "))])
        Console.standard.line("\(Self.sentence(outcome.changed)) changed.")
        guard RunningHousehold(dataFolder: HouseholdFile.dataFolder()).isRunning else { return }
        let phone = outcome.changed.filter(HouseholdFile.isOfPhone)
        if phone.count < outcome.changed.count {
            Console.standard.line("The broker that runs starts anew with it in a few seconds.")
        }
        if !phone.isEmpty {
            Console.standard.line(
                "The page takes \(phone.listed) at its next start: countersign up --stop, then countersign up")
        }
    }

    private static func sentence(_ names: [String]) -> String { "\(names.listed) \(names.count == 1 ? "is" : "are")" }
}
