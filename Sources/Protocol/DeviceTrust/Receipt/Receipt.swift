import Clocks
import Encodings
import Foundation
import Messages

/// The record of a completed request, for a reader who trusts neither side: who asked, what a device's owner approved, and
/// which files came. It is the predicate of an in-toto statement (in-toto attestation framework, v1).
package struct Receipt: Sendable, Hashable {
    package static let statementType = "https://in-toto.io/Statement/v1"
    package static let predicateType = "countersign://receipt/v1"

    /// One file that came.
    package struct Document: Sendable, Hashable {
        package let id: DocumentID
        package let place: DocumentPlace
        /// 64 lower-case hexadecimal digits.
        package let sha256: String
        /// The agent had it from an earlier request: no approval of this one is about it.
        package let isEarlier: Bool

        package init(id: DocumentID, place: DocumentPlace, sha256: String, isEarlier: Bool = false) {
            self.id = id
            self.place = place
            self.sha256 = sha256
            self.isEarlier = isEarlier
        }
    }

    /// One device's signed approval.
    package struct Approval: Sendable, Hashable {
        package let key: DevicePublicKey
        /// The time at which the broker received it. The device did not sign it.
        package let receivedAt: Timestamp
        /// The content that the device signed; see ``ApprovalSummary``.
        package let summary: JSONValue
        package let signature: DeviceSignature

        package init(key: DevicePublicKey, receivedAt: Timestamp, summary: JSONValue, signature: DeviceSignature) {
            self.key = key
            self.receivedAt = receivedAt
            self.summary = summary
            self.signature = signature
        }

        /// The digest of the script that was approved: 64 hexadecimal digits.
        package var script: String { summary["script"]?.stringValue ?? "" }
    }

    package let server: ServerID
    package let requestID: RequestID
    package let agent: AgentName
    package let bankID: String
    package let subject: RequestSubject
    /// The agent's own words.
    package let reason: AgentReason?
    package let issuedAt: Timestamp
    package let approvalExpiresAt: Timestamp
    package let completedAt: Timestamp
    /// None when the default device approved, which cannot sign, and when every document was there already.
    package let approvals: [Approval]
    package let documents: [Document]

    package init(
        server: ServerID, envelope: RequestEnvelope, completedAt: Timestamp, approvals: [Approval],
        documents: [Document]
    ) {
        self.server = server
        requestID = envelope.requestID
        agent = envelope.client ?? .standard
        bankID = envelope.bankID
        subject = envelope.subject
        reason = envelope.reason
        issuedAt = envelope.issuedAt
        approvalExpiresAt = envelope.approvalExpiresAt
        self.completedAt = completedAt
        self.approvals = approvals
        self.documents = documents
    }

    // MARK: The statement

    /// The in-toto statement: the documents are its subjects.
    ///
    /// - Parameter key: the key that signs it.
    func statement(signedBy key: ReceiptPublicKey) -> JSONValue {
        [
            "_type": .string(Self.statementType), "predicateType": .string(Self.predicateType),
            "subject": .array(
                documents.map { document in
                    [
                        "name": .string("\(document.id).\(document.place.kind.rawValue)"),
                        "digest": ["sha256": .string(document.sha256)],
                    ]
                }),
            "predicate": predicate(key),
        ]
    }

    private func predicate(_ key: ReceiptPublicKey) -> JSONValue {
        var members: [String: JSONValue] = [
            "server_id": .string(server.description), "receipt_key": .string(key.pem),
            "request_id": .string(requestID.description), "agent": .string(agent.description),
            "bank_id": .string(bankID), "type": .string(subject.type), "params": subject.parameters,
            "issued_at": .string(issuedAt.description),
            "approval_expires_at": .string(approvalExpiresAt.description),
            "completed_at": .string(completedAt.description),
            "approvals": .array(
                approvals.map { approval in
                    [
                        "device_key": .string(approval.key.description),
                        "received_at": .string(approval.receivedAt.description), "summary": approval.summary,
                        "signature": .string(approval.signature.description),
                    ]
                }),
            "documents": .array(
                documents.map { document in
                    var members: [String: JSONValue] = [
                        "document_id": .string(document.id.description),
                        "period": .string(document.place.period.description),
                        "kind": .string(document.place.kind.rawValue), "sha256": .string(document.sha256),
                    ]
                    if let account = document.place.account { members["account"] = .string(account.description) }
                    if document.isEarlier { members["earlier"] = true }
                    members.merge(document.place.dayMembers) { $1 }
                    members.merge(document.place.partMember) { $1 }
                    return .object(members)
                }),
        ]
        if let reason { members["reason_untrusted"] = .string(reason.text) }
        return .object(members)
    }

    /// Reads a statement, and checks every device's signature against what the statement says of the request.
    ///
    /// - Parameter key: the key that signed the statement.
    /// - Throws: ``TrustError``.
    init(statement: JSONValue, signedBy key: ReceiptPublicKey) throws(TrustError) {
        guard statement["_type"]?.stringValue == Self.statementType,
            statement["predicateType"]?.stringValue == Self.predicateType, let predicate = statement["predicate"]
        else { throw TrustError(.unknownVersion, "this is not a receipt of a version that is known here") }
        try self.init(predicate: predicate)
        guard self.statement(signedBy: key) == statement else {
            throw TrustError(.malformed, "the receipt has members that do not belong into one, or lacks some")
        }
        for approval in approvals { try check(approval) }
    }

    private init(predicate: JSONValue) throws(TrustError) {
        func read<Value>(_ name: String, in json: JSONValue, _ read: (String) -> Value?) throws(TrustError) -> Value {
            guard let value = json[name]?.stringValue.flatMap(read) else {
                throw TrustError(.malformed, "the receipt's “\(name)” is missing, or cannot be read")
            }
            return value
        }
        let type = try read("type", in: predicate) { $0 }
        do {
            // A receipt proves what was, also where the plug-in of a kind is not.
            subject = try RequestSubject(kept: type, parameters: predicate["params"] ?? .null)
        } catch {
            throw TrustError(error)
        }
        server = try read("server_id", in: predicate, ServerID.init)
        requestID = try read("request_id", in: predicate) { RequestID($0) }
        agent = try read("agent", in: predicate, AgentName.init)
        bankID = try read("bank_id", in: predicate) { $0 }
        issuedAt = try read("issued_at", in: predicate) { Timestamp($0) }
        approvalExpiresAt = try read("approval_expires_at", in: predicate) { Timestamp($0) }
        completedAt = try read("completed_at", in: predicate) { Timestamp($0) }
        reason =
            predicate["reason_untrusted"] == nil
            ? nil : try read("reason_untrusted", in: predicate, AgentReason.init)
        var approvals: [Approval] = []
        for item in predicate["approvals"]?.arrayValue ?? [] {
            approvals.append(
                Approval(
                    key: try read("device_key", in: item, DevicePublicKey.init(_:)),
                    receivedAt: try read("received_at", in: item) { Timestamp($0) }, summary: item["summary"] ?? .null,
                    signature: try read("signature", in: item, DeviceSignature.init)))
        }
        self.approvals = approvals
        var documents: [Document] = []
        for item in predicate["documents"]?.arrayValue ?? [] {
            let place = DocumentPlace(
                account: item["account"] == nil ? nil : try read("account", in: item, AccountAlias.init),
                period: try read("period", in: item) { MonthYear($0) },
                kind: try read("kind", in: item, DocumentKind.told))
            let dated = place.withDays(of: item.objectValue ?? [:]) ?? place
            documents.append(
                Document(
                    id: try read("document_id", in: item) { DocumentID($0) },
                    place: dated.withPart(of: item.objectValue ?? [:]) ?? dated,
                    sha256: try read("sha256", in: item) { Base16.isEncoding($0, ofBytes: 32) ? $0 : nil },
                    isEarlier: item["earlier"] == true))
        }
        self.documents = documents
    }

    /// Checks that a device approved exactly this request: its summary names it, and its signature is over the summary.
    private func check(_ approval: Approval) throws(TrustError) {
        let summary = approval.summary
        let expected: [String: JSONValue?] = [
            "purpose": "countersign approval", "decision": "APPROVE", "bank_id": .string(bankID),
            "params": subject.parameters, "issued_at": .string(issuedAt.description),
            "approval_expires_at": .string(approvalExpiresAt.description),
            "client": agent == .standard ? nil : .string(agent.description),
        ]
        for (name, value) in expected where summary[name] != value {
            throw TrustError(.badSignature, "a device approved another request: its “\(name)” is not the receipt's")
        }
        let challenge = ApprovalSummary.challenge(
            server: server, request: requestID, summary: summary, expiry: approvalExpiresAt)
        guard approval.key.isValid(approval.signature, for: challenge) else {
            throw TrustError(.badSignature, "a device's signature does not belong to the approval that the receipt has")
        }
    }
}
