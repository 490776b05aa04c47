import Foundation

/// The tables of devices and preferences.
enum DeviceSchema {
    static let sql = """
        CREATE TABLE devices (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            device_id TEXT NOT NULL,
            channel TEXT NOT NULL CHECK (channel IN ('apns', 'webpush')),
            apns_token_ciphertext BYTEA NOT NULL,
            environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
            created_at TIMESTAMPTZ NOT NULL,
            updated_at TIMESTAMPTZ NOT NULL,
            UNIQUE (user_id, device_id)
        );
        CREATE TABLE preferences (
            user_id UUID PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            meeting_reminder_minutes INT NOT NULL,
            morning_brief_local_time TEXT NOT NULL,
            quiet_hours_start TEXT NOT NULL,
            quiet_hours_end TEXT NOT NULL,
            high_risk_requires_confirm BOOLEAN NOT NULL,
            time_zone TEXT NOT NULL,
            updated_at TIMESTAMPTZ NOT NULL
        );
        """
}

/// The digest by which an address is known again. A device or browser belongs to the user who registered it last.
enum AddressSchema {
    static let sql = """
        ALTER TABLE devices ADD COLUMN address_digest BYTEA NULL;
        CREATE UNIQUE INDEX devices_by_address ON devices (address_digest);

        """
}

/// A device to which notices go. Its push token is sealed.
package struct StoredDevice: Sendable, Hashable {
    package enum Channel: String, Sendable, Hashable { case apns, webpush }
    package enum Environment: String, Sendable, Hashable, CaseIterable { case sandbox, production }

    /// The app's own name for the device.
    package let deviceID: String
    package let channel: Channel
    package let environment: Environment
    package let sealedToken: [UInt8]
    package let createdAt: Date
    package let updatedAt: Date
}

/// The devices of users.
package struct DeviceStore: Sendable {
    /// The most devices of one user. The one that was registered longest ago makes room.
    package static let most = 20

    let database: any SQLDatabase

    /// Registers a device, or replaces what is known of it.
    ///
    /// - Parameter addressDigest: of its push token or subscription. Registrations with the same one end, also another
    ///   user's, so that no one gets the notices of a person who used the device before.
    package func put(
        _ deviceID: String, of userID: UUID, _ channel: StoredDevice.Channel, _ environment: StoredDevice.Environment,
        sealedToken: [UInt8], addressDigest: [UInt8]? = nil, at now: Date
    ) async throws {
        try await database.transaction(.writing) { session in
            if let addressDigest {
                _ = try session.change(
                    "DELETE FROM devices WHERE address_digest = $1 AND NOT (user_id = $2 AND device_id = $3)",
                    [.bytes(addressDigest), .uuid(userID), .text(deviceID)])
            }
            _ = try session.change(
                """
                INSERT INTO devices
                    (id, user_id, device_id, channel, apns_token_ciphertext, environment, created_at, updated_at,
                     address_digest)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8)
                ON CONFLICT (user_id, device_id) DO UPDATE SET channel = excluded.channel,
                    apns_token_ciphertext = excluded.apns_token_ciphertext, environment = excluded.environment,
                    updated_at = excluded.updated_at, address_digest = excluded.address_digest
                """,
                [
                    .uuid(UUID()), .uuid(userID), .text(deviceID), .text(channel.rawValue), .bytes(sealedToken),
                    .text(environment.rawValue), .time(now), .optional(addressDigest),
                ])
            _ = try session.change(
                """
                DELETE FROM devices WHERE id IN (SELECT id FROM devices WHERE user_id = $1
                    ORDER BY updated_at DESC, id LIMIT 1000 OFFSET $2)
                """, [.uuid(userID), .integer(Self.most)])
        }
    }

    /// Returns the user's devices, the first registered first.
    package func devices(of userID: UUID) async throws -> [StoredDevice] {
        try await database.transaction(.reading) { session in
            try Self.devices(of: userID, session)
        }
    }

    static func devices(of userID: UUID, _ session: any SQLSession) throws -> [StoredDevice] {
        try devices(of: [userID], session)[userID] ?? []
    }

    /// Returns the devices of several users, each user's first registered first.
    static func devices(of userIDs: [UUID], _ session: any SQLSession) throws -> [UUID: [StoredDevice]] {
        let rows = try session.rows(
            "SELECT * FROM devices WHERE user_id IN (\(SQLLists.places(userIDs.count))) ORDER BY created_at, id",
            userIDs.map(SQLValue.uuid))
        return try Dictionary(grouping: rows) { try $0.uuid("user_id") }.mapValues { try $0.map(device) }
    }

    private static func device(_ row: SQLRow) throws -> StoredDevice {
        guard let channel = StoredDevice.Channel(rawValue: try row.text("channel")),
            let environment = StoredDevice.Environment(rawValue: try row.text("environment"))
        else { throw AssistantStoreError(.damaged, "a device has an unknown channel or environment") }
        return StoredDevice(
            deviceID: try row.text("device_id"), channel: channel, environment: environment,
            sealedToken: try row.bytes("apns_token_ciphertext"), createdAt: try row.time("created_at"),
            updatedAt: try row.time("updated_at"))
    }

    /// - Returns: false when the user has no such device.
    package func remove(_ deviceID: String, of userID: UUID) async throws -> Bool {
        try await database.transaction(.writing) { session in
            try session.change(
                "DELETE FROM devices WHERE user_id = $1 AND device_id = $2", [.uuid(userID), .text(deviceID)]) == 1
        }
    }

    /// Removes a device whose push service no longer knows it, unless it was registered again since.
    package func remove(_ device: StoredDevice, of userID: UUID) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                "DELETE FROM devices WHERE user_id = $1 AND device_id = $2 AND apns_token_ciphertext = $3",
                [.uuid(userID), .text(device.deviceID), .bytes(device.sealedToken)])
        }
    }

    /// Counts the browsers of all users to which notices go.
    package func countBrowsers() async throws -> Int {
        try await database.transaction(.reading) { session in
            try session.rows("SELECT COUNT(*) AS browsers FROM devices WHERE channel = 'webpush'", []).first?
                .integer("browsers") ?? 0
        }
    }

    /// Removes the browsers of all users, because the key to which they subscribed is replaced.
    ///
    /// - Returns: their number.
    package func removeBrowsers() async throws -> Int {
        try await database.transaction(.writing) { session in
            try session.change("DELETE FROM devices WHERE channel = 'webpush'", [])
        }
    }
}
