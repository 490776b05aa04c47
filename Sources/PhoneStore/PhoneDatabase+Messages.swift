import Crypto
import Encodings
import Foundation
import GRDB
import Secrets

/// The messages of failed runs, which can quote the bank. They are encrypted under the key of the failure reports, which
/// the vault keeps: with AES-256-GCM, bound to the request, as `sealed:` and base64url of nonce, ciphertext and tag.
extension PhoneDatabase {
    private static let mark = "sealed:"

    /// Reads and writes messages with this key from now on. Without one, messages are written in the clear, and encrypted
    /// ones are not shown.
    package func useMessageKey(_ key: Secret) { messageKey.withLock { $0 = key } }

    /// Encrypts the messages that were written without the key, or by an earlier version, and removes their traces from
    /// the database's files.
    package func sealPlainMessages() async throws {
        guard messageKey.withLock(\.self) != nil else { return }
        let isChanged = try await database.write { database in
            let rows = try Row.fetchAll(
                database,
                sql:
                    "SELECT id, error_message FROM requests WHERE error_message IS NOT NULL AND error_message NOT LIKE ?",
                arguments: [Self.mark + "%"])
            for row in rows {
                let id: String = row["id"]
                try database.execute(
                    sql: "UPDATE requests SET error_message = ? WHERE id = ?",
                    arguments: [try sealed(row["error_message"], of: id), id])
            }
            return !rows.isEmpty
        }
        guard isChanged else { return }
        // Free pages and the write-ahead log still have the plain messages.
        try await database.writeWithoutTransaction { database in
            try database.execute(sql: "VACUUM")
            try database.checkpoint(.truncate)
        }
    }

    /// Deletes the encrypted messages, when another key replaces theirs.
    package func deleteSealedMessages() async throws {
        try await database.write {
            try $0.execute(
                sql: "UPDATE requests SET error_message = NULL WHERE error_message LIKE ?",
                arguments: [Self.mark + "%"])
        }
    }

    /// Returns the message as the database is to keep it.
    func sealed(_ message: String?, of request: String) throws -> String? {
        guard let message, let key = symmetricKey else { return message }
        let box = try AES.GCM.seal(Data(message.utf8), using: key, authenticating: Self.binding(request))
        return Self.mark + Base64URL.encode(Array(box.combined ?? Data()))
    }

    /// Returns the request with its message in the clear, or without it when this database has no key for it.
    func opened(_ stored: StoredRequest) -> StoredRequest {
        guard let message = stored.errorMessage, message.hasPrefix(Self.mark) else { return stored }
        var stored = stored
        stored.errorMessage = nil
        guard let key = symmetricKey, let bytes = Base64URL.decode(String(message.dropFirst(Self.mark.count))),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let plain = try? AES.GCM.open(box, using: key, authenticating: Self.binding(stored.id.description))
        else { return stored }
        stored.errorMessage = String(decoding: plain, as: UTF8.self)
        return stored
    }

    private var symmetricKey: SymmetricKey? {
        messageKey.withLock(\.self).map { key in key.withUnsafeBytes { SymmetricKey(data: $0) } }
    }

    private static func binding(_ request: String) -> Data { Data("message of \(request)".utf8) }
}
