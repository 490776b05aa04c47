import Foundation
import Machine
import PhoneStore

extension PhoneHome {
    /// Checks that nothing uses the home, before the owner is asked whether to delete it.
    ///
    /// - Throws: ``PhoneError`` with `homeBusy`.
    package func checkMayBeForgotten() throws(PhoneError) {
        guard isPageOpen else { return }
        throw PhoneError(
            .homeBusy,
            "the approval page of \(folder.path) is open, and nothing was deleted; stop it first: countersign up --stop, or Ctrl-C "
                + "where it runs")
    }

    /// Deletes everything that this program keeps in the home, the vault first. Files of others stay.
    ///
    /// - Returns: the names that are left in the folder; an empty folder is removed.
    /// - Throws: ``PhoneError`` with `homeBusy` while another process uses the home.
    package func forget() throws(PhoneError) -> [String] {
        try checkMayBeForgotten()
        let lock = try claim()
        defer { withExtendedLifetime(lock) {} }
        return try deleteOwnFiles()
    }

    /// Deletes everything that this program keeps in the home, for the one that has it claimed.
    ///
    /// - Returns: the names that are left in the folder; an empty folder is removed.
    func deleteOwnFiles() throws(PhoneError) -> [String] {
        let beginnings = [vaultFile, database].map(\.lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
        let certificates = names.filter { $0.wholeMatch(of: /(authority|certificate)-.+\.pem/) != nil }
        let own =
            certificates + beginnings.flatMap { beginning in names.filter { $0.hasPrefix(beginning) } }
            + [policyFile, tokenFolder, downloads, failures, documents, pushKeyFile].map(\.lastPathComponent)
            + [
                "accepted-scripts.json", "certificate.pem", "certificate.key.pem",
                "page.lock", "lock", "exchange.lock", "new-key.lock", "desk.sock",
            ]
        for name in own {
            let file = folder.appending(path: name)
            do {
                try FolderRemoval.remove(file)
            } catch {
                throw PhoneError(.homeUnusable, "\(file.path) cannot be deleted; check its owner and mode")
            }
        }
        let left = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
        if left.isEmpty { rmdir(folder.path) }
        return left
    }
}
