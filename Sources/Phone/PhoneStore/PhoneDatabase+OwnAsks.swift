import Encodings
import Foundation
import GRDB
import Messages

/// A wish of the owner's at this phone, of which the broker made a request.
package struct OwnAsk: Sendable, Hashable {
    package let bankID: String
    /// The subject as it was asked for. The request leaves out the documents that are there already.
    package let subject: RequestSubject

    package init(bankID: String, subject: RequestSubject) {
        self.bankID = bankID
        self.subject = subject
    }

    /// Returns whether a request asks for nothing but what the owner asked for.
    package func covers(_ subject: RequestSubject, ofBank bank: String) -> Bool {
        guard bank == bankID else { return false }
        switch (self.subject, subject) {
        case (.statement(let own), .statement(let other)): return own == other
        case (.documents(let own), .documents(let other)):
            // Without accounts, every account of the bank is meant.
            return other.places.allSatisfy { place in
                own.places.contains {
                    $0.period == place.period && $0.kind == place.kind && $0.days == place.days
                        && ($0.account == nil || $0.account == place.account)
                }
            }
        default: return false
        }
    }
}

extension PhoneDatabase {
    static let ownAsks = """
        -- What the owner asked for at this phone, by the request that the broker made of it.
        CREATE TABLE own_asks (
            request_id TEXT PRIMARY KEY NOT NULL,
            bank_id TEXT NOT NULL,
            request_type TEXT NOT NULL,
            parameters_json TEXT NOT NULL,
            asked_at TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The days for which it is remembered: longer than a request waits.
    private static let rememberedDays = 30

    package func note(_ ask: OwnAsk, as id: RequestID, at now: Date) async throws {
        try await database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO own_asks VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    id.description, ask.bankID, ask.subject.type, ask.subject.parameters.compactText(),
                    StoreTime.text(now),
                ])
            let end = now.addingTimeInterval(-86_400 * Double(Self.rememberedDays))
            try database.execute(sql: "DELETE FROM own_asks WHERE asked_at < ?", arguments: [StoreTime.text(end)])
        }
    }

    /// Returns what the owner asked for, by the broker's requests.
    package func ownAsks() async throws -> [RequestID: OwnAsk] {
        try await database.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT * FROM own_asks")
            return rows.reduce(into: [:]) { result, row in
                guard let id = RequestID(row["request_id"] as String),
                    let parameters = try? JSONReader.read(row["parameters_json"] as String),
                    let subject = try? RequestSubject(kept: row["request_type"], parameters: parameters)
                else { return }
                result[id] = OwnAsk(bankID: row["bank_id"], subject: subject)
            }
        }
    }
}
