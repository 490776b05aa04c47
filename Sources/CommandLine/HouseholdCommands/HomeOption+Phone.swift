import Foundation
import Phone
import Terminal

extension HomeOption {
    /// Returns the phone that was set up in the folder.
    ///
    /// - Parameter file: a file that the command is about to read.
    /// - Throws: ``CommandFailure`` when that file is missing.
    package func phone(with file: KeyPath<PhoneHome, URL> = \.vaultFile) throws -> PhoneHome {
        let home = PhoneHome(folder)
        guard FileManager.default.fileExists(atPath: home[keyPath: file].path) else {
            try checkIsHere()
            throw lacksPhone
        }
        return home
    }

    /// The command that starts what this phone's page needs.
    package var startCommand: String {
        HouseholdFile.current?.phone?.isIn(folder) == true ? "countersign up" : "countersign phone serve"
    }

    /// Refuses to make a vault where that of this household's phone is only away, as under the folder of a disk that is not
    /// mounted.
    ///
    /// - Throws: ``CommandFailure`` that names the folder.
    package func checkMayMakeVault() throws {
        if !PhoneHome(folder).vault.exists, let absence = householdsAbsence { throw absence }
    }

    /// - Throws: ``CommandFailure`` when no folder is named, and this household's phone is on another machine.
    package func checkIsHere() throws {
        guard isElsewhere, !PhoneHome(folder).vault.exists, let household = HouseholdFile.current else { return }
        throw household.lacksPhone
    }
}
