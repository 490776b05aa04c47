import Encodings
import Foundation
import Machine
import Secrets

/// The sealing secret that the broker made for itself, in a file beside its database: 32 random bytes in base64url, mode
/// 0600. A copy of the database alone opens nothing, not even for someone who has a phone's secret.
package struct SealingFile: Sendable {
    package let file: URL

    /// - Parameter database: the broker's database.
    package init(besideDatabase database: URL) {
        file = database.deletingLastPathComponent().appending(path: "sealing.secret")
    }

    /// The secret that ``BrokerAdministration/reseal(to:)`` is about to put in place.
    private var next: URL { file.appendingPathExtension("new") }

    /// Returns the sealing; nil when the broker has not made the file yet.
    ///
    /// - Throws: ``StoreError`` when the file cannot be read, or others may read it.
    package func sealing() throws(StoreError) -> Sealing? { try secret().map { Sealing($0) } }

    /// Returns the secret itself; nil when the broker has not made the file yet.
    ///
    /// - Throws: ``StoreError`` when the file cannot be read, or others may read it.
    package func secret() throws(StoreError) -> Secret? {
        FileManager.default.fileExists(atPath: file.path) ? try Self.read(file) : nil
    }

    /// Returns the sealing of a reseal that was interrupted.
    package func interrupted() throws(StoreError) -> Sealing? {
        FileManager.default.fileExists(atPath: next.path) ? Sealing(try Self.read(next)) : nil
    }

    private static func read(_ file: URL) throws(StoreError) -> Secret {
        do {
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int ?? 0
            guard mode & 0o077 == 0 else {
                throw StoreError(message: "others may read \(file.path); set its mode with: chmod 600 \(file.path)")
            }
            return Secret(bytes: try OpenedFile(file).bytes(atMost: 1024))
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(message: "the broker's sealing secret cannot be read: \(error)")
        }
    }

    /// Makes the file with a new secret.
    package func make() throws(StoreError) -> Sealing {
        try prepare()
        try finish()
        return Sealing(try Self.read(file))
    }

    /// Writes a new secret beside the one that holds.
    package func prepare() throws(StoreError) {
        var generator = SystemRandomNumberGenerator()
        let secret = Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
        do {
            try AtomicFile.write(secret.utf8, to: next)
        } catch {
            throw StoreError(message: "the broker's sealing secret cannot be written: \(error)")
        }
    }

    /// Puts the new secret in place of the old one.
    package func finish() throws(StoreError) {
        guard rename(next.path, file.path) == 0 else {
            throw StoreError(message: "\(FileError("renamed", next.path))")
        }
    }
}
