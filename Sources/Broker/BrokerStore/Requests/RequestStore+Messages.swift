import GRDB
import Messages

// The messages of channels that announced a request.

/// The place where a channel's own id of a message is kept.
package enum MessagePlace: Sendable, Hashable {
    /// The request's row, which has room for the message of one channel (specification, section 9.2).
    case request
    /// A row for the channel, by its name.
    case channel(String)
}

extension RequestStore {
    static let channelMessagesTable = """
        CREATE TABLE channel_messages (
            request_id TEXT NOT NULL REFERENCES pending_requests (id),
            channel TEXT NOT NULL,
            message TEXT NOT NULL,
            PRIMARY KEY (request_id, channel)
        ) STRICT, WITHOUT ROWID;
        """

    /// Stores a channel's own id of the message that announced a request. A later one takes the place of an earlier one.
    package func remember(_ message: String, in place: MessagePlace, for id: RequestID) async throws {
        try await database.write { db in
            switch place {
            case .request:
                try db.execute(
                    sql: "UPDATE pending_requests SET telegram_message_id = ? WHERE id = ?",
                    arguments: [message, id.description])
            case .channel(let channel):
                try db.execute(
                    sql: """
                        INSERT INTO channel_messages (request_id, channel, message)
                        SELECT id, ?, ? FROM pending_requests WHERE id = ?
                        ON CONFLICT (request_id, channel) DO UPDATE SET message = excluded.message
                        """, arguments: [channel, message, id.description])
            }
        }
    }

    /// Returns a channel's own id of the message that announced a request; nil when there was no such message.
    package func message(in place: MessagePlace, for id: RequestID) async throws -> String? {
        try await database.read { db in
            switch place {
            case .request:
                try String.fetchOne(
                    db, sql: "SELECT telegram_message_id FROM pending_requests WHERE id = ?",
                    arguments: [id.description])
            case .channel(let channel):
                try String.fetchOne(
                    db, sql: "SELECT message FROM channel_messages WHERE request_id = ? AND channel = ?",
                    arguments: [id.description, channel])
            }
        }
    }

    /// Returns the name of the device that approved the request last, and so ran it: a paired device's id, or `default`, also
    /// for a request that no device approved.
    package func phone(of id: RequestID) async throws -> String {
        try await database.read { db in
            try String.fetchOne(
                db, sql: "SELECT device_id FROM request_executors WHERE request_id = ?", arguments: [id.description])
        } ?? DeviceStore.defaultDeviceName
    }
}
