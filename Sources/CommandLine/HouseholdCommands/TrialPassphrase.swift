import Foundation
import KeyVault
import Secrets
import Terminal

/// The file with the words that open a trial's vault. It is there until the owner changes the passphrase: afterwards its words
/// open nothing, and it would mislead.
package struct TrialPassphrase: Sendable {
    package let file: URL

    /// - Returns: nil when the phone is not that of this user's trial with the mock bank.
    package init?(ofPhoneIn home: URL) {
        guard HouseholdFile.current?.mockBank(ofPhone: home) != nil else { return nil }
        self.init(in: HouseholdFile.dataFolder())
    }

    /// - Parameter folder: the folder of a trial's data.
    init(in folder: URL) { file = HouseholdSetup.passphraseFile(in: folder) }

    package var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Tells whether a path that was typed names this file.
    package func isNamed(by path: String?) -> Bool {
        guard let path, path != "-" else { return false }
        return Self.resolved(URL(filePath: TypedPath.expanded(path))) == Self.resolved(file)
    }

    private static func resolved(_ file: URL) -> String { file.standardizedFileURL.resolvingSymlinksInPath().path }

    /// Deletes the file after the passphrase was changed, unless its owner has put the new one there.
    ///
    /// - Returns: whether a file was deleted.
    /// - Throws: ``CommandFailure`` with what to do.
    package func end(with new: Secret) throws(CommandFailure) -> Bool {
        guard exists, (try? Asking.secret(inFile: file.path))?.isEqual(to: new) != true else { return false }
        guard unlink(file.path) == 0 || errno == ENOENT else {
            throw CommandFailure(
                "\(file.path) has the former passphrase, and cannot be deleted: \(String(cString: strerror(errno))); delete it yourself"
            )
        }
        return true
    }

    /// Returns what to tell of a vault that this file's passphrase does not open. The page then opens locked, as that of any
    /// household: a program that ended after a change may have left the file behind.
    ///
    /// - Returns: nil for an error that the owner cannot get past on the page.
    package func notice(after error: VaultError) -> String? {
        switch error.code {
        case .wrongPassphrase:
            "the first line of \(file.path) is not the passphrase of this trial's vault. Unlock the page with the one that you "
                + "chose, and delete the file"
        case .noPassphrase:
            "this trial's vault does not open with a passphrase alone. Unlock the page with your passkey"
        case .delayed: "\(error.message). The page is locked"
        default: nil
        }
    }
}
