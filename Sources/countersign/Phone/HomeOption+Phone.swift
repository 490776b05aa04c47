import Foundation
import Phone
import Terminal

extension HomeOption {
    /// Returns the phone that was set up in the folder.
    ///
    /// - Parameter file: a file that the command is about to read.
    /// - Throws: ``CommandFailure`` when that file is missing.
    func phone(with file: KeyPath<PhoneHome, URL> = \.vaultFile) throws -> PhoneHome {
        let home = PhoneHome(folder)
        guard FileManager.default.fileExists(atPath: home[keyPath: file].path) else {
            throw CommandFailure("no phone is set up in \(home.folder.path); run: countersign phone setup")
        }
        return home
    }
}
