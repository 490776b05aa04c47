import DeviceTrust
import JSON
import Messages

/// The needs of an approval at the broker, and the approvals that it has already.
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

extension PendingList {
    /// The IDs according to the envelopes, which are not verified.
    var requestIDs: Set<RequestID> {
        Set(entries.compactMap { $0.envelope.claimedRequestID.flatMap(RequestID.init) })
    }
}

extension PendingList.Entry {
    /// Reads what an approval needs.
    ///
    /// - Throws: ``MessageError`` for a need that this phone does not know, and so cannot meet.
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

/// The broker's answer to a decision.
public enum DecisionAnswer: Sendable, Hashable {
    case taken
    /// Only some of the needed devices have approved.
    case waiting(approvals: Int, needed: Int)
}
