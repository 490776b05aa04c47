import Foundation
import GRDB

/// A browser that has shown a code from the terminal, as the page knows it after a restart.
package struct StoredBrowser: Sendable, Hashable {
    /// Names the browser in lists; it opens nothing.
    package let id: String
    /// The SHA-256 of the cookie's value, which itself is not kept.
    package let cookieHash: Data
    /// The folder of the browser's pages.
    package let place: String
    /// The program and the system, as the browser says.
    package let name: String
    package let admittedAt: Date
    package let usedAt: Date

    package init(id: String, cookieHash: Data, place: String, name: String, admittedAt: Date, usedAt: Date) {
        self.id = id
        self.cookieHash = cookieHash
        self.place = place
        self.name = name
        self.admittedAt = admittedAt
        self.usedAt = usedAt
    }
}

extension PhoneDatabase {
    static let knownBrowsers = """
        CREATE TABLE known_browsers (
            id TEXT PRIMARY KEY,
            cookie_hash BLOB NOT NULL UNIQUE,
            place TEXT NOT NULL,
            name TEXT NOT NULL,
            admitted_at TEXT NOT NULL,
            used_at TEXT NOT NULL
        );
        """

    /// Replaces the list of known browsers.
    package func keep(_ browsers: [StoredBrowser]) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM known_browsers")
            for browser in browsers {
                try database.execute(
                    sql: "INSERT INTO known_browsers VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [
                        browser.id, browser.cookieHash, browser.place, browser.name,
                        StoreTime.text(browser.admittedAt), StoreTime.text(browser.usedAt),
                    ])
            }
        }
    }

    /// Returns the browsers that were used since a time.
    package func knownBrowsers(usedSince time: Date) async throws -> [StoredBrowser] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM known_browsers WHERE used_at >= ? ORDER BY used_at DESC, id",
                arguments: [StoreTime.text(time)]
            ).map {
                StoredBrowser(
                    id: $0["id"], cookieHash: $0["cookie_hash"], place: $0["place"], name: $0["name"],
                    admittedAt: StoreTime.date($0["admitted_at"]) ?? .distantPast,
                    usedAt: StoreTime.date($0["used_at"]) ?? .distantPast)
            }
        }
    }
}
