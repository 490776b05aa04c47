import Crypto
import Foundation
import KeyVault
import Machine
import Messages
import PhoneStore
import Secrets

/// The descriptions and sanitised pages of failed runs, for the person who mends the script. Each is encrypted under a
/// key that only the open vault gives, and names the version of that key. A change of the key deletes all reports, so the
/// version is 1 today; a report that names another is refused with a reason.
package struct FailureReports: Sendable {
    /// A part of a report.
    package enum Part: String, Sendable, CaseIterable {
        case description = "txt"
        case page = "html"
    }

    static let entry = "home/failure-report-key"
    private static let ending = ".sealed"
    /// The largest sealed part that is read, in bytes.
    private static let largest = 32 << 20

    private let folder: URL
    /// It encrypts the messages of failed runs in the database, too.
    let key: Secret
    private let sealing: VersionedKey

    /// Takes the key from the vault, or makes one. Reports that an earlier version kept in the clear are encrypted now.
    package init(of home: PhoneHome, in secrets: VaultSecretStore) async throws {
        folder = home.failures
        if let stored = try await secrets.secret(named: Self.entry) {
            key = stored
        } else {
            key = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
            try await secrets.store(key, named: Self.entry)
        }
        sealing = try VersionedKey(key, unversioned: 1)
        try sealPlainReports()
    }

    /// - Parameter key: the vault's key of the reports.
    /// - Throws: `VaultError` for a key of another length.
    init(of home: PhoneHome, key: Secret) throws {
        folder = home.failures
        self.key = key
        sealing = try VersionedKey(key, unversioned: 1)
    }

    /// Returns true when the phone keeps a report of this request's run.
    package static func exists(for request: RequestID, in home: PhoneHome) -> Bool {
        let file = home.failures.appending(path: name(.description, request) + ending)
        return FileManager.default.fileExists(atPath: file.path)
    }

    /// Returns the requests with a report, sorted.
    package func requests() -> [RequestID] {
        Set(names().compactMap { RequestID(String($0.prefix { $0 != "." })) })
            .sorted { $0.description < $1.description }
    }

    /// Returns a part of a report, or nil when it has no such part.
    ///
    /// - Throws: ``PhoneError`` for a file that this vault's key does not open, or that names another version of the key.
    package func text(_ part: Part, of request: RequestID) throws -> String? {
        let name = Self.name(part, request)
        let file = folder.appending(path: name + Self.ending)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let sealed = try? OpenedFile(file).bytes(atMost: Self.largest)
        do {
            let opened = try sealing.open(sealed ?? [], binding: name)
            defer { opened.wipe() }
            return opened.revealed()
        } catch {
            if let version = VersionedKey.version(of: sealed ?? []), version != sealing.version {
                throw PhoneError(
                    .storeDamaged,
                    "\(file.path) is under version \(version) of the key for reports, and this program knows version "
                        + "\(sealing.version): a later program wrote it, or it was changed; open it with that program, or delete it"
                )
            }
            throw PhoneError(.storeDamaged, "\(file.path) cannot be decrypted: it was changed, or is another vault's")
        }
    }

    /// Keeps a part of a report.
    func keep(_ text: String, as part: Part, of request: RequestID) throws {
        try write(Array(text.utf8), Self.name(part, request))
    }

    /// Deletes all reports, which another key replaces.
    static func deleteAll(of home: PhoneHome) {
        let files = try? FileManager.default.contentsOfDirectory(at: home.failures, includingPropertiesForKeys: nil)
        for file in files ?? [] { unlink(file.path) }
    }

    private static func name(_ part: Part, _ request: RequestID) -> String { "\(request).\(part.rawValue)" }

    private func names() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        let sealed = try sealing.seal(bytes, binding: name)
        try AtomicFile.replaceUnderLock(sealed, to: folder.appending(path: name + Self.ending))
    }

    private func sealPlainReports() throws {
        for name in names() where Part.allCases.contains(where: { name.hasSuffix(".\($0.rawValue)") }) {
            let file = folder.appending(path: name)
            guard let bytes = try? OpenedFile(file).bytes(atMost: Self.largest) else { continue }
            try write(bytes, name)
            unlink(file.path)
        }
    }
}
