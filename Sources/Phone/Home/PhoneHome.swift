import Files
import Foundation
import KeyVault
import Secrets

/// The folder in which the phone keeps its state: mode 0700, every file in it 0600.
public struct PhoneHome: Sendable, Hashable {
    public let folder: URL
    private let scrypt: ScryptParameters

    public init(_ folder: URL) {
        self.init(folder, scrypt: .standard)
    }

    package init(_ folder: URL, scrypt: ScryptParameters) {
        self.folder = folder.standardizedFileURL
        self.scrypt = scrypt
    }

    public var vaultFile: URL { folder.appending(path: "vault.json") }
    public var database: URL { folder.appending(path: "phone.sqlite") }
    /// Downloads on their way to the inbox.
    public var downloads: URL { folder.appending(path: "downloads", directoryHint: .isDirectory) }
    /// What a failed run saw, sanitised.
    public var failures: URL { folder.appending(path: "failures", directoryHint: .isDirectory) }

    /// The person's second factors, encrypted.
    public var tokenFolder: URL { folder.appending(path: "tokens", directoryHint: .isDirectory) }

    /// Which requests need more than one's say-so, as the owner of this phone wants it; not there when nothing does.
    public var policyFile: URL { folder.appending(path: "policy.yaml") }

    public var vault: Vault { Vault(file: vaultFile, scrypt: scrypt) }

    /// Makes the folders that are missing, and takes other users' rights off those that are there.
    public func prepare() throws(PhoneError) {
        for folder in [folder, downloads, failures] {
            do {
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
            } catch {
                throw PhoneError(.homeUnusable, "\(folder.path) cannot be used as a home; choose a folder of your own")
            }
        }
    }

    /// The right to decide and to run in this home, which one process has at a time.
    public func claim() throws(PhoneError) -> FileLock {
        try prepare()
        let lock: FileLock?
        do {
            lock = try FileLock(folder.appending(path: "lock"))
        } catch {
            throw PhoneError(.homeUnusable, "\(folder.path) cannot be locked; check its owner and mode")
        }
        guard let lock else {
            throw PhoneError(
                .homeBusy, "another countersign phone is at work in \(folder.path); use that one, or stop it first")
        }
        return lock
    }

    /// Removes what an interrupted run left behind.
    func sweepDownloads() {
        let files = try? FileManager.default.contentsOfDirectory(at: downloads, includingPropertiesForKeys: nil)
        for file in files ?? [] { try? FileManager.default.removeItem(at: file) }
    }
}
