import Encodings
import Foundation
import GRDB
import Inbox
import Messages
import Storage

/// Writes the audit records of requests, in the transaction of the change itself and without private data.
enum RequestAudit {
    static func record(_ envelope: RequestEnvelope, in db: Database) throws {
        var details: [String: JSONValue] = [
            "period": .string(envelope.subject.words), "nonce": .string("\(envelope.nonce)"),
            "agent": .string((envelope.client ?? .standard).description),
        ]
        if let reason = envelope.reason { details["reason_untrusted"] = .string(reason.shown) }
        try AuditLog.record(
            AuditEvent(
                .requestCreated, requestID: envelope.requestID.description, details: .object(details),
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
                .request(status.rawValue), severity: severity, requestID: id.description,
                details: .object(details), time: time), in: db)
    }

    static func record(
        _ document: CompletionManifest.Document, of id: RequestID, sha256: String, at time: Date, in db: Database
    ) throws {
        try AuditLog.record(
            AuditEvent(
                .documentDelivered, requestID: id.description,
                details: [
                    "period": .string(document.place.span), "kind": .string(document.kind.rawValue),
                    "number": .number(Double(document.number)), "of": .number(Double(document.count)),
                    "sha256": .string(sha256),
                ], time: time), in: db)
    }

    static func record(_ rejection: DeliveryRejection, at time: Date, in db: Database) throws {
        var details: [String: JSONValue] = [
            "reason": .string(rejection.reason),
            "error_code": .string(ErrorCode.manifestVerificationFailed.rawValue),
        ]
        if rejection.uncopied > 0 { details["files_without_copy"] = .number(Double(rejection.uncopied)) }
        try AuditLog.record(
            AuditEvent(
                .deliveryRejected, severity: .error, requestID: rejection.requestID?.description,
                details: .object(details), time: time), in: db)
        try recordDiscarded(rejection.discarded, at: time, in: db)
    }

    /// - Parameter wasTaken: true when the broker has the document of which the file is left.
    static func record(_ remains: DeliveryRemains, ofTaken wasTaken: Bool, at time: Date, in db: Database) throws {
        let reason =
            wasTaken
            ? "left over of a delivery that was taken" : "the rest of it never came, and the request has ended"
        try AuditLog.record(
            AuditEvent(
                .deliveryRejected, severity: wasTaken ? .info : .warning, requestID: remains.requestID.description,
                details: ["reason": .string(reason)], time: time), in: db)
        try recordDiscarded(remains.discarded, at: time, in: db)
    }

    private static func recordDiscarded(_ count: Int, at time: Date, in db: Database) throws {
        guard count > 0 else { return }
        try AuditLog.record(AuditEvent(discarding: count, because: "limit", at: time), in: db)
    }
}

extension AuditEvent {
    /// Files of refused deliveries were removed, which were evidence until then.
    ///
    /// - Parameter cause: `limit`, to make room for newer ones, or `age`.
    package init(discarding files: Int, because cause: String, at time: Date) {
        self.init(
            .deliveriesDiscarded, severity: .warning,
            details: ["files": .number(Double(files)), "cause": .string(cause)], time: time)
    }
}
