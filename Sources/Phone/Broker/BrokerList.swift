import DeviceTrust
import JSON
import Signer

/// What the broker says waits for this phone.
public struct BrokerList: Sendable {
    struct Entry: Sendable {
        let envelope: SignedEnvelope
        /// What an approval needs, as it came; nil from a broker that asks for nothing.
        let requirement: JSONValue?
        /// This very device has approved, and others are waited for.
        let isApprovedHere: Bool

        init(_ json: JSONValue) {
            envelope = SignedEnvelope(json: json["envelope"] ?? .null)
            requirement = json["requirement"]
            isApprovedHere = json["approved"] == true
        }

        /// - Throws: ``MessageError`` for a need that this phone does not know, and so could not meet.
        func needs() throws(MessageError) -> RequestNeeds {
            guard let requirement else { return RequestNeeds(isApprovedHere: isApprovedHere) }
            do {
                let (needs, approvals) = try Requirement.read(requirement)
                return RequestNeeds(requirement: needs, approvals: approvals, isApprovedHere: isApprovedHere)
            } catch {
                throw MessageError(.unacceptable, error.message)
            }
        }
    }

    let entries: [Entry]
    let asksForRotation: Bool

    /// Of what they claim to be.
    var requestIDs: Set<RequestID> {
        Set(entries.compactMap { $0.envelope.claimedRequestID.flatMap(RequestID.init) })
    }
}

/// What the broker answers to a decision.
public enum DecisionAnswer: Sendable, Hashable {
    case taken
    /// So many of the needed devices have approved.
    case waiting(approvals: Int, needed: Int)
}

/// What the broker wants before an approval counts, and how far that is.
struct RequestNeeds: Sendable, Hashable {
    var requirement = Requirement.none
    var approvals = 0
    var isApprovedHere = false

    init(requirement: Requirement = .none, approvals: Int = 0, isApprovedHere: Bool = false) {
        self.requirement = requirement
        self.approvals = approvals
        self.isApprovedHere = isApprovedHere
    }
}
