import ArgumentParser
import Foundation

/// The folder with the phone's state.
package struct HomeOption: ParsableArguments {
    @Option(help: "The phone's folder; else COUNTERSIGN_HOME, else that of countersign up, else ~/.countersign.")
    package var home: String?

    package init() {}

    package var folder: URL { Self.folder(home) }

    /// The folder where `--home` is not given.
    package static var standard: URL { folder(nil) }

    /// True when the option or the variable names the folder.
    package var isNamed: Bool { home != nil || ProcessInfo.processInfo.environment["COUNTERSIGN_HOME"] != nil }

    /// Says that no phone is set up in the folder, and what sets one up.
    package var lacksPhone: CommandFailure {
        if let absence = householdsAbsence { return absence }
        if isNamed {
            guard FileManager.default.fileExists(atPath: folder.path) else {
                return CommandFailure(
                    "the folder \(folder.path) is not there; is its disk mounted? If it is new, run: countersign phone setup"
                )
            }
            return CommandFailure("no phone is set up in \(folder.path); run: countersign phone setup")
        }
        if HouseholdFile.current?.phone != nil {
            return CommandFailure("this household's phone has no vault yet; go on with: countersign up")
        }
        return CommandFailure(
            "no phone is set up on this machine; set up a household with: countersign up, or a phone alone with: countersign "
                + "phone setup")
    }

    /// Says that this household's phone, which was set up in the folder, is away; nil for every other folder. Whether the vault is
    /// there is for the caller to know.
    package var householdsAbsence: CommandFailure? {
        guard let phone = HouseholdFile.current?.phone, phone.isIn(folder) else { return nil }
        return phone.absence
    }

    /// True when no option and no variable names a folder, and this household's phone is on another machine.
    package var isElsewhere: Bool {
        !isNamed && HouseholdFile.current.map { $0.phone == nil } ?? false
    }

    private static func folder(_ home: String?) -> URL {
        let path =
            home ?? ProcessInfo.processInfo.environment["COUNTERSIGN_HOME"] ?? HouseholdFile.current?.phone?.home.path
            ?? "~/.countersign"
        return URL(filePath: TypedPath.expanded(path), directoryHint: .isDirectory).standardizedFileURL
    }
}
