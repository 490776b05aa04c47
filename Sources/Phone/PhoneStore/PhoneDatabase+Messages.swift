import Crypto
import Encodings
import Foundation
import GRDB
import Secrets

/// The messages of failed runs and the closing manifests, which can quote the bank. They are encrypted under the key of the failure reports, which
/// the vault keeps: with AES-256-GCM, bound to the request, as `sealed:` and base64url of nonce, ciphertext and tag.
extension PhoneDatabase {
    private static let mark = "sealed:"

    /// Reads and writes messages with this key from now on. Without one, messages are written in the clear, and encrypted
    /// ones are not shown.
    package func useMessageKey(_ key: Secret) { messageKey.withLock { $0 = key } }

    /// The key, once the vault was open.
    package var openMessageKey: Secret? { messageKey.withLock(\.self) }

    /// Encrypts the messages that were written without the key, or by an earlier version, and removes their traces from
    /// the database's files.
    package func sealPlainMessages() async throws {
        guard messageKey.withLock(\.self) != nil else { return }
        let isChanged = try await database.write { database in
            let messages = try seal("error_message", ofEach: "id", in: "requests", database)
            let closings = try seal("closing_json", ofEach: "request_id", in: "closings", database)
            return messages || closings
        }
        guard isChanged else { return }
        // Free pages and the write-ahead log still have the plain messages.
        try await database.writeWithoutTransaction { database in
            try database.execute(sql: "VACUUM")
            try database.checkpoint(.truncate)
        }
    }

    /// Encrypts the plain texts of a column.
    ///
    /// - Returns: whether there were any.
    private func seal(
        _ column: String, ofEach id: String, in table: String, _ database: Database
    ) throws -> Bool {
        let rows = try Row.fetchAll(
            database, sql: "SELECT \(id), \(column) FROM \(table) WHERE \(column) NOT LIKE ?",
            arguments: [Self.mark + "%"])
        for row in rows {
            let request: String = row[id]
            try database.execute(
                sql: "UPDATE \(table) SET \(column) = ? WHERE \(id) = ?",
                arguments: [try sealed(row[column], of: request), request])
        }
        return !rows.isEmpty
    }

    /// Deletes what is encrypted, when another key replaces its key.
    package func deleteSealedMessages() async throws {
        try await database.write {
            let sealed: StatementArguments = [Self.mark + "%"]
            try $0.execute(
                sql: "UPDATE requests SET error_message = NULL WHERE error_message LIKE ?", arguments: sealed)
            try $0.execute(sql: "DELETE FROM closings WHERE closing_json LIKE ?", arguments: sealed)
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
        guard let message = stored.errorMessage else { return stored }
        var stored = stored
        stored.errorMessage = opened(message, of: stored.id.description)
        return stored
    }

    /// Returns a text that the database keeps; nil when it is encrypted under another key.
    func opened(_ text: String, of request: String) -> String? {
        guard text.hasPrefix(Self.mark) else { return text }
        guard let key = symmetricKey, let bytes = Base64URL.decode(String(text.dropFirst(Self.mark.count))),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let plain = try? AES.GCM.open(box, using: key, authenticating: Self.binding(request))
        else { return nil }
        return String(decoding: plain, as: UTF8.self)
    }

    private var symmetricKey: SymmetricKey? {
        messageKey.withLock(\.self).map { key in key.withUnsafeBytes { SymmetricKey(data: $0) } }
    }

    private static func binding(_ request: String) -> Data { Data("message of \(request)".utf8) }
}
