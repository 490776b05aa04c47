import Foundation
import GRDB

/// A browser that wants to be notified, as its push service knows it (RFC 8030).
package struct StoredSubscription: Sendable, Hashable {
    /// The address at the browser's push service. A stranger who knows it can neither send to the browser, which takes our key,
    /// nor read what is sent.
    package let endpoint: String
    /// The browser's public key and its authentication secret (RFC 8291, section 3.2), in base64url.
    package let publicKey: String
    package let authentication: String
    /// The folder of the browser's pages.
    package let place: String
    package let createdAt: Date
    /// When a push was taken last; nil when none was yet.
    package let deliveredAt: Date?

    package init(
        endpoint: String, publicKey: String, authentication: String, place: String, createdAt: Date,
        deliveredAt: Date? = nil
    ) {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.authentication = authentication
        self.place = place
        self.createdAt = createdAt
        self.deliveredAt = deliveredAt
    }
}

extension PhoneDatabase {
    static let pushSubscriptions = """
        CREATE TABLE push_subscriptions (
            endpoint TEXT PRIMARY KEY,
            public_key TEXT NOT NULL,
            authentication TEXT NOT NULL,
            place TEXT NOT NULL,
            created_at TEXT NOT NULL,
            delivered_at TEXT
        );
        """

    /// The most subscriptions; the oldest makes room.
    static let mostSubscriptions = 32

    /// Keeps a subscription, or renews it.
    package func keep(_ subscription: StoredSubscription) async throws {
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO push_subscriptions VALUES (?, ?, ?, ?, ?, NULL)
                    ON CONFLICT (endpoint) DO UPDATE SET public_key = excluded.public_key,
                        authentication = excluded.authentication, place = excluded.place
                    """,
                arguments: [
                    subscription.endpoint, subscription.publicKey, subscription.authentication, subscription.place,
                    StoreTime.text(subscription.createdAt),
                ])
            try database.execute(
                sql: """
                    DELETE FROM push_subscriptions WHERE endpoint NOT IN (
                        SELECT endpoint FROM push_subscriptions ORDER BY created_at DESC LIMIT ?)
                    """, arguments: [Self.mostSubscriptions])
        }
    }

    /// Returns the subscriptions, the oldest first.
    package func pushSubscriptions() async throws -> [StoredSubscription] {
        try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM push_subscriptions ORDER BY created_at, endpoint").map {
                StoredSubscription(
                    endpoint: $0["endpoint"], publicKey: $0["public_key"], authentication: $0["authentication"],
                    place: $0["place"], createdAt: StoreTime.date($0["created_at"]) ?? .distantPast,
                    deliveredAt: StoreTime.date($0["delivered_at"]))
            }
        }
    }

    package func forgetSubscription(_ endpoint: String) async throws {
        try await database.write {
            try $0.execute(sql: "DELETE FROM push_subscriptions WHERE endpoint = ?", arguments: [endpoint])
        }
    }

    /// Forgets all subscriptions, because they were made with a key that is replaced.
    ///
    /// - Returns: their number.
    package func forgetSubscriptions() async throws -> Int {
        try await database.write {
            try $0.execute(sql: "DELETE FROM push_subscriptions")
            return $0.changesCount
        }
    }

    package func noteDelivery(to endpoint: String, at now: Date) async throws {
        try await database.write {
            try $0.execute(
                sql: "UPDATE push_subscriptions SET delivered_at = ? WHERE endpoint = ?",
                arguments: [StoreTime.text(now), endpoint])
        }
    }
}
