import BankScript
import Clocks
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Messages

/// A request as the phone's database holds it.
package struct StoredRequest: Sendable, Hashable {
    package let id: RequestID
    package let bankID: String
    package let subject: RequestSubject
    package let status: RequestStatus
    package let issuedAt: Date
    package let approvalExpiresAt: Date
    package let createdAt: Date
    package let updatedAt: Date
    package let approvedAt: Date?
    package let completedAt: Date?
    package let errorCode: String?
    package internal(set) var errorMessage: String?
    /// The reason behind the error code, if the run told one.
    package let failureReason: FailureReason?
    package let resultFilename: String?
    /// The digest of the approved script.
    package let scriptDigest: String?

    package let envelopeJSON: String
    /// The name of this phone's decision; see ``DecisionBody/id``.
    package let decisionID: Nonce?
    package let needs: RequestNeeds

    init(row: Row) throws {
        let envelope: String = row["envelope_json"]
        guard let id = RequestID(row["id"]), let status = RequestStatus(rawValue: row["status"]),
            let parameters = try? JSONReader.read(Data((row["parameters_json"] as String).utf8)),
            let subject = try? RequestSubject(kept: row["request_type"], parameters: parameters),
            let created = StoreTime.date(row["created_at"]),
            let updated = StoreTime.date(row["updated_at"]), let issued = StoreTime.date(row["issued_at"]),
            let expires = StoreTime.date(row["approval_expires_at"])
        else {
            throw PhoneError(.storeDamaged, "a request in the phone's store cannot be read; restore it from a backup")
        }
        self.id = id
        self.status = status
        self.subject = subject
        bankID = row["bank_id"]
        createdAt = created
        updatedAt = updated
        issuedAt = issued
        approvalExpiresAt = expires
        approvedAt = StoreTime.date(row["approved_at"])
        completedAt = StoreTime.date(row["completed_at"])
        errorCode = row["error_code"]
        errorMessage = row["error_message"]
        failureReason = (row["failure_reason"] as String?).flatMap(FailureReason.init(rawValue:))
        resultFilename = row["result_filename"]
        scriptDigest = row["script_digest"]
        envelopeJSON = envelope
        decisionID = (row["decision_id"] as String?).flatMap(Nonce.init)
        needs = try Self.needs(row)
    }

    /// The month of a statement, or the first of several.
    package var period: MonthYear { subject.periods[0] }

    /// False for a request for several documents.
    package var isStatement: Bool {
        if case .statement = subject { true } else { false }
    }

    /// The documents that came for a completed request for several, of those that were asked for; nil for other requests.
    package var delivered: (count: Int, all: Int)? {
        guard status == .completed, !isStatement,
            let kept = resultFilename?.wholeMatch(of: /(\d+)(?: of (\d+))? documents/), let count = Int(kept.1)
        else { return nil }
        return (count, kept.2.flatMap { Int($0) } ?? max(count, subject.count))
    }

    /// Returns what is kept as the result of a completed request for several documents; ``delivered`` reads it.
    package static func result(delivered count: Int, of all: Int) -> String {
        count == all ? "\(count) documents" : "\(count) of \(all) documents"
    }

    private static func needs(_ row: Row) throws -> RequestNeeds {
        let isApprovedHere: Bool = row["approved_here"]
        guard let text = row["requirement_json"] as String? else { return RequestNeeds(isApprovedHere: isApprovedHere) }
        guard let json = try? JSONReader.read(Data(text.utf8)),
            let (requirement, approvals) = try? Requirement.read(json)
        else {
            throw PhoneError(
                .storeDamaged, "what a request needs cannot be read from the store; restore it from a backup")
        }
        return RequestNeeds(requirement: requirement, approvals: approvals, isApprovedHere: isApprovedHere)
    }

    /// Returns the envelope as it was received, to be verified anew.
    package func signedEnvelope() throws(PhoneError) -> SignedEnvelope {
        guard let json = try? JSONReader.read(Data(envelopeJSON.utf8)) else {
            throw PhoneError(
                .storeDamaged, "the stored envelope of \(id.short) cannot be read; restore the store from a backup")
        }
        return SignedEnvelope(json: json)
    }
}

/// Times as the database stores them: ISO 8601 in UTC with milliseconds, which sorts as text.
enum StoreTime {
    static func text(_ date: Date) -> String { Timestamp(date).description }
    static func date(_ text: String?) -> Date? { text.flatMap { Timestamp($0)?.date } }
}
