import Clocks
import Crypto
import Encodings
import Foundation
import GRDB
import Secrets

/// An event in its place in the chain.
package struct AuditRecord: Sendable, Hashable {
    /// The place in the log, counted from 1 without gaps.
    package let id: Int64
    package let event: AuditEvent
    /// The hash of the record before, 64 zeros for the first.
    package let previousHash: String
    /// SHA-256 in lower-case hex of ``previousHash``, a line feed and the record's canonical JSON.
    package let hash: String

    static let noHash = String(repeating: "0", count: 64)

    /// Makes the record that follows the one with this id and hash.
    init(_ event: AuditEvent, after id: Int64, hash previousHash: String) throws {
        self.id = id + 1
        self.event = event
        self.previousHash = previousHash
        hash = try Self.hash(id: id + 1, event: event, previousHash: previousHash)
    }

    init(row: Row) throws {
        guard let severity = AuditSeverity(rawValue: row["severity"]), let time = AuditTime.date(row["created_at"])
        else { throw AuditError.damaged(row["id"]) }
        id = row["id"]
        previousHash = row["previous_hash"]
        hash = row["hash"]
        let text: String = row["event_details_json"]
        guard let details = try? JSONReader.read(Data(text.utf8)) else { throw AuditError.damaged(id) }
        event = AuditEvent(
            row["event_type"], severity: severity, requestID: row["request_id"], details: details, time: time)
    }

    var isAuthentic: Bool {
        (try? Self.hash(id: id, event: event, previousHash: previousHash)) == hash
    }

    static func hash(id: Int64, event: AuditEvent, previousHash: String) throws -> String {
        let bytes = try JSONValue.object(fields(id: id, event: event)).canonicalBytes()
        var hash = SHA256()
        hash.update(data: Array(previousHash.utf8))
        hash.update(data: [0x0A])
        hash.update(data: bytes)
        return Base16.encode(hash.finalize())
    }

    private static func fields(id: Int64, event: AuditEvent) -> [String: JSONValue] {
        [
            "id": .number(Double(id)), "time": .string(AuditTime.text(event.time)),
            "severity": .string(event.severity.rawValue), "type": .string(event.type),
            "request_id": event.requestID.map(JSONValue.string) ?? .null, "details": event.details,
        ]
    }

    /// The whole record, for an export.
    package var json: JSONValue {
        var fields = Self.fields(id: id, event: event)
        fields["previous_hash"] = .string(previousHash)
        fields["hash"] = .string(hash)
        return .object(fields)
    }
}

/// ISO 8601 in UTC with milliseconds, which sorts as text.
enum AuditTime {
    /// Rounds to milliseconds, so that a stored time is written the same way again.
    static func text(_ date: Date) -> String {
        Timestamp(Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded() / 1000)).description
    }

    static func date(_ text: String) -> Date? { Timestamp(text)?.date }
}

/// A log that cannot be used as asked.
package enum AuditError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The record with this id is not what was written.
    case damaged(Int64)
    /// The retention would keep no record.
    case invalidRetention

    package var description: String {
        switch self {
        case .damaged(let id): "record \(id) of the audit log cannot be read; verify the log"
        case .invalidRetention: "a retention must keep at least one record"
        }
    }
}
