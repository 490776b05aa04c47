import Foundation
import GRDB
import Messages

extension PhoneDatabase {
    /// Keeps the digest of a statement that this phone delivers.
    ///
    /// - Parameter sha256: lower-case hex.
    package func rememberStatement(of id: RequestID, sha256: String) async throws {
        try await database.write {
            try $0.execute(
                sql: "INSERT OR REPLACE INTO statements VALUES (?, ?)", arguments: [id.description, sha256])
        }
    }

    /// Returns the digest of the statement that this phone delivered, in lower-case hex.
    package func statementDigest(of id: RequestID) async throws -> String? {
        try await database.read {
            try String.fetchOne(
                $0, sql: "SELECT sha256 FROM statements WHERE request_id = ?", arguments: [id.description])
        }
    }
}
