import Foundation
import KeyVault
import Machine
import PhoneStore
import Secrets

/// The folder that holds the phone's state: mode 0700, every file in it 0600.
package struct PhoneHome: Sendable, Hashable {
    package let folder: URL
    private let scrypt: ScryptParameters

    package init(_ folder: URL) {
        self.init(folder, scrypt: .standard)
    }

    package init(_ folder: URL, scrypt: ScryptParameters) {
        self.folder = folder.standardizedFileURL
        self.scrypt = scrypt
    }

    package var vaultFile: URL { folder.appending(path: "vault.json") }
    package var database: URL { folder.appending(path: "phone.sqlite") }
    /// The downloads that are not yet in the inbox.
    package var downloads: URL { folder.appending(path: "downloads", directoryHint: .isDirectory) }
    /// The sanitised pages and descriptions of failed runs.
    package var failures: URL { folder.appending(path: "failures", directoryHint: .isDirectory) }

    /// The encrypted copies of delivered documents.
    package var documents: URL { folder.appending(path: "documents", directoryHint: .isDirectory) }

    /// The key with which this phone signs its notifications.
    package var pushKeyFile: URL { folder.appending(path: "push.key.pem") }

    /// The person's encrypted tokens.
    package var tokenFolder: URL { folder.appending(path: "tokens", directoryHint: .isDirectory) }

    /// The owner's rules for requests that need more than one verification. The file is missing if the owner has no
    /// such rules.
    package var policyFile: URL { folder.appending(path: "policy.yaml") }

    package var vault: Vault { Vault(file: vaultFile, scrypt: scrypt, generations: StoredGenerations(self)) }

    /// Creates missing folders and removes other users' rights from existing ones.
    package func prepare() throws(PhoneError) {
        for folder in [folder, downloads, failures] {
            do {
                try PrivateFolder.claim(folder)
            } catch {
                throw PhoneError(.homeUnusable, "the phone's folder \(error)")
            }
        }
    }

    /// The time that a claim waits. A process that is being started holds copies of its parent's locks for a moment.
    private static let patience: Duration = .seconds(1)

    /// Claims the home: one process at a time may decide and run in it.
    package func claim() throws(PhoneError) -> FileLock {
        try prepare()
        let lock: FileLock?
        do {
            lock = try FileLock(folder.appending(path: "lock"), patience: Self.patience)
        } catch {
            throw PhoneError(.homeUnusable, "\(error)")
        }
        guard let lock else {
            throw PhoneError(
                .homeBusy,
                "another countersign phone is running in \(folder.path); use that one, or stop it first: countersign up --stop, "
                    + "or Ctrl-C where it runs")
        }
        return lock
    }

    /// Claims the approval page of this home: one process at a time serves it.
    package func claimPage() throws(PhoneError) -> FileLock {
        try prepare()
        let lock: FileLock?
        do {
            lock = try FileLock(pageLock, patience: Self.patience)
        } catch {
            throw PhoneError(.homeUnusable, "\(error)")
        }
        guard let lock else {
            throw PhoneError(
                .homeBusy, "the approval page of \(folder.path) is open already; use that one, or stop it first")
        }
        return lock
    }

    /// Claims the approval page of this home for a change of what the page keeps in its memory while it is open.
    package func claimClosedPage() throws(PhoneError) -> FileLock {
        do {
            return try claimPage()
        } catch {
            guard error.code == .homeBusy else { throw error }
            throw PhoneError(
                .homeBusy,
                "the approval page of \(folder.path) is open, and nothing was changed; stop it first: countersign up --stop, "
                    + "or Ctrl-C where it runs")
        }
    }

    /// Tells whether a process serves the approval page of this home now. A port alone does not tell: when the page
    /// ends, another user's program can take it.
    package var isPageOpen: Bool {
        // A look makes no file: a home in which only an acceptance lies belongs to no household yet, and `countersign up` takes it.
        guard access(pageLock.path, F_OK) == 0 else { return false }
        guard let lock = try? FileLock(pageLock) else { return true }
        withExtendedLifetime(lock) {}
        return false
    }

    /// Held while a bank's answer to an exchange of credentials is awaited and kept.
    var exchangeLock: URL { folder.appending(path: "exchange.lock") }

    private var pageLock: URL { folder.appending(path: "page.lock") }

    /// Removes the downloads of an interrupted run.
    func sweepDownloads() {
        let files = try? FileManager.default.contentsOfDirectory(at: downloads, includingPropertiesForKeys: nil)
        for file in files ?? [] { try? FolderRemoval.remove(file) }
    }

    /// The beginning of the name of a visit's folder, among the downloads.
    static let visit = "visit-"
}

extension PhoneDatabase {
    /// Opens the database of a home.
    package convenience init(_ home: PhoneHome) throws {
        try home.prepare()
        try self.init(file: home.database)
    }
}
