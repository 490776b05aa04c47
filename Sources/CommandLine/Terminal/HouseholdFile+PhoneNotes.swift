import Foundation

extension HouseholdFile.Phone {
    /// Returns whether this is the phone in a folder.
    package func isIn(_ folder: URL) -> Bool { home.standardizedFileURL.path == folder.standardizedFileURL.path }
}

// What other commands than `up` do with the household's phone. A phone that is not the household's changes nothing.

extension HouseholdFile {
    /// Notes that the phone in a folder was deleted on purpose, so that another one can be set up.
    ///
    /// - Throws: ``CommandFailure`` or `FileError` when the household's file cannot be read or written.
    package static func notePhoneDeleted(in home: URL, file: URL = place()) throws {
        try change(file) { household in
            guard let phone = household.phone, phone.absence != nil, phone.isIn(home) else { return }
            household.phone?.wasSetUp = false
            household.phone?.brokerAddress = nil
        }
    }

    /// Notes the address of the broker with which the phone in a folder was paired again. Where the broker is the household's own,
    /// nothing changes.
    ///
    /// - Throws: ``CommandFailure`` or `FileError` when the household's file cannot be read or written.
    package static func notePairing(ofPhone home: URL, with address: String, file: URL = place()) throws {
        try change(file) { household in
            guard household.broker == nil, household.phone?.isIn(home) == true else { return }
            household.phone?.brokerAddress = address
        }
    }
}
