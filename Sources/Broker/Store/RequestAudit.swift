import AuditLog
import Foundation
import GRDB
import JSON
import Messages

/// The broker's own record of what became of each request: written in the transaction of the change itself, chained, and
/// without anything that a person would not want to be read.
enum RequestAudit {
    static func record(_ envelope: RequestEnvelope, in db: Database) throws {
        let details: JSONValue = ["period": .string("\(envelope.period)"), "nonce": .string("\(envelope.nonce)")]
        try AuditLog.record(
            AuditEvent(
                "request.created", requestID: envelope.requestID.description, details: details,
                time: envelope.issuedAt.date), in: db)
    }

    static func record(
        _ id: RequestID, _ status: RequestStatus, at time: Date, errorCode: ErrorCode?, by device: String?,
        in db: Database
    ) throws {
        var details: [String: JSONValue] = [:]
        if let errorCode { details["error_code"] = .string(errorCode.rawValue) }
        if let device { details["device"] = .string(device) }
        let severity: AuditSeverity = status == .failed || status == .expired ? .warning : .info
        try AuditLog.record(
            AuditEvent(
                "request.\(status.rawValue.lowercased())", severity: severity, requestID: id.description,
                details: .object(details), time: time), in: db)
    }

    static func record(_ rejection: DeliveryRejectionNote, in db: Database) throws {
        try AuditLog.record(
            AuditEvent(
                "delivery.rejected", severity: .error, requestID: rejection.requestID?.description,
                details: [
                    "reason": .string(rejection.reason),
                    "error_code": .string(ErrorCode.manifestVerificationFailed.rawValue),
                ],
                time: rejection.time), in: db)
    }
}

/// A delivery that was refused, for the record.
struct DeliveryRejectionNote: Sendable {
    let requestID: RequestID?
    let reason: String
    let time: Date
}

extension RequestStore {
    /// What has become of the requests, in order.
    public var audit: AuditLog { AuditLog(pool) }

    func note(_ rejection: DeliveryRejectionNote) async throws {
        try await pool.write { db in try RequestAudit.record(rejection, in: db) }
    }
}

/// The audit log of a broker's database, read beside the broker that writes it.
public enum BrokerAudit {
    /// - Throws: ``StoreError`` when there is no such database.
    public static func open(_ database: URL) throws(StoreError) -> AuditLog {
        guard FileManager.default.fileExists(atPath: database.path) else {
            throw StoreError(
                message: "\(database.path) is not there; set BROKER_DATABASE_PATH to the broker’s database")
        }
        do {
            return AuditLog(try DatabaseQueue(path: database.path))
        } catch {
            throw StoreError(message: "\(database.path) cannot be read: \(error)")
        }
    }
}
