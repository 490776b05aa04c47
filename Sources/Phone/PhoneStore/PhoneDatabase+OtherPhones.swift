import GRDB
import Messages

extension PhoneDatabase {
    static let otherPhonesTable = """
        -- Other phones with the bank of a pending request, as the broker says. It is not signed.
        CREATE TABLE other_phones (
            request_id TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (request_id, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// Keeps the names of phones that the broker lists for a request, in the place of those that it listed before.
    package func noteOtherPhones(_ names: [String], of id: RequestID) async throws {
        guard Set(names) != Set(try await otherPhones()[id] ?? []) else { return }
        try await database.write { database in
            // Of requests that were decided, no card is shown any more.
            try database.execute(
                sql: """
                    DELETE FROM other_phones WHERE request_id = ?
                        OR request_id NOT IN (SELECT id FROM requests WHERE status = 'PENDING_APPROVAL')
                    """, arguments: [id.description])
            for name in names {
                try database.execute(
                    sql: """
                        INSERT OR IGNORE INTO other_phones SELECT id, ? FROM requests
                        WHERE id = ? AND status = 'PENDING_APPROVAL'
                        """, arguments: [name, id.description])
            }
        }
    }

    /// Returns the names of the other phones of the requests that wait, by request and sorted.
    package func otherPhones() async throws -> [RequestID: [String]] {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT request_id, name FROM other_phones
                    WHERE request_id IN (SELECT id FROM requests WHERE status = 'PENDING_APPROVAL') ORDER BY name
                    """)
            return rows.reduce(into: [:]) { result, row in
                guard let id = RequestID(row["request_id"] as String) else { return }
                result[id, default: []].append(row["name"])
            }
        }
    }
}
