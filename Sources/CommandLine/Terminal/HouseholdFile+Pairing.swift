import Foundation

extension HouseholdFile {
    /// Notes the address of the broker with which the phone in a folder was paired again. A phone that is not the household's, and
    /// one whose broker is the household's own, change nothing.
    ///
    /// - Throws: ``CommandFailure`` or `FileError` when the household's file cannot be read or written.
    package static func notePairing(ofPhone home: URL, with address: String, file: URL = place()) throws {
        try change(file) { household in
            guard household.broker == nil, let phone = household.phone,
                phone.home.standardizedFileURL.path == home.standardizedFileURL.path
            else { return }
            household.phone?.brokerAddress = address
        }
    }
}
