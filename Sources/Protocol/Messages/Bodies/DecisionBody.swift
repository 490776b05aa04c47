import Clocks
import Encodings

/// The person's decision about a request.
public enum Decision: String, Sendable {
    case approve = "APPROVE"
    case deny = "DENY"
}

/// The body of `POST /phone/requests/{id}/decision` (specification, section 10.2).
public struct DecisionBody: Sendable, Hashable {
    public var decision: Decision
    public var decidedAt: Timestamp
    /// The signature of a paired device over the approval; a denial needs none.
    public var approval: JSONValue?
    /// A random name for this phone's decision. The broker keeps the name of the approval that counts and repeats it in
    /// its answers, so that a phone whose answer got lost can tell its own approval from another machine's. Phones and
    /// brokers that do not know the member leave it out.
    public var id: Nonce?

    public init(_ decision: Decision, at decidedAt: Timestamp, approval: JSONValue? = nil, id: Nonce? = nil) {
        self.id = id
        self.decision = decision
        self.decidedAt = decidedAt
        self.approval = approval
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "decision": .string(decision.rawValue), "decided_at": .string(decidedAt.description),
        ]
        members["approval"] = approval
        members["decision_id"] = id.map { .string($0.description) }
        return .object(members)
    }

    /// - Throws: ``BodyError`` that names the first field that is missing or invalid.
    public init(json: JSONValue) throws(BodyError) {
        let fields = BodyFields(json)
        let name = try fields.text("decision", atMost: 16)
        decidedAt = try fields.time("decided_at")
        guard let decision = Decision(rawValue: name) else { throw .invalid("decision", "neither APPROVE nor DENY") }
        self.decision = decision
        if let approval = json["approval"], approval != .null { self.approval = approval }
        id = StartedBody.decisionID(in: json)
    }
}

/// The answer to an approval that counts and does not suffice yet: other devices have to approve too.
package struct ApprovalCount: Sendable, Hashable {
    /// The number of devices that have approved.
    package var approvals: Int
    /// The number of devices that have to approve.
    package var needed: Int

    package init(approvals: Int, needed: Int) {
        self.approvals = approvals
        self.needed = needed
    }

    /// Adds the count to the description of the request.
    package func json(of request: RequestID) -> JSONValue {
        [
            "request_id": .string(request.description), "status": .string(RequestStatus.pendingApproval.rawValue),
            "approvals": .number(Double(approvals)), "needed": .number(Double(needed)),
        ]
    }

    /// Returns nil for an answer without both numbers.
    package init?(json: JSONValue) {
        guard let approvals = json["approvals"]?.intValue, let needed = json["needed"]?.intValue else { return nil }
        self.approvals = approvals
        self.needed = needed
    }
}
