import BankScript
import Foundation
import GRDB
import Messages

/// Sign-ins whose end is not known yet.
///
/// A phone that is killed right after it has sent a password hears no verdict. The note that it made before tells its
/// next start that the bank may have refused the password, so that no approval sends it again unseen.
extension PhoneDatabase {
    /// Notes, before a credential leaves the vault for the bank, that a sign-in begins.
    ///
    /// - Parameter version: of the credentials.
    package func beginSignIn(ofBank bankID: String, credentials version: String, request: RequestID, at now: Date)
        async throws
    {
        try await database.write {
            try $0.execute(
                sql: "INSERT OR REPLACE INTO sign_ins_under_way VALUES (?, ?, ?, ?)",
                arguments: [bankID, version, request.description, StoreTime.text(now)])
        }
    }

    static func endSignIn(ofBank bankID: String, in database: Database) throws {
        try database.execute(sql: "DELETE FROM sign_ins_under_way WHERE bank_id = ?", arguments: [bankID])
    }

    /// Puts a bank on hold for each sign-in that an earlier process began and did not end.
    ///
    /// Call it only while this process has claimed the home, and before its first run.
    package func holdUnfinishedSignIns() throws {
        try database.write { database in
            for row in try Row.fetchAll(database, sql: "SELECT * FROM sign_ins_under_way") {
                let bankID: String = row["bank_id"]
                if let request = RequestID(row["request_id"]) {
                    try Self.hold(
                        bankID, .cancelled, credentials: row["credentials_version"], request,
                        at: StoreTime.date(row["began_at"]) ?? .distantPast, in: database)
                }
                try Self.endSignIn(ofBank: bankID, in: database)
            }
        }
    }
}
