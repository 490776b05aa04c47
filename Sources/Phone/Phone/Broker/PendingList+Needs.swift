import DeviceTrust
import Encodings
import Messages
import PhoneStore

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
package enum DecisionAnswer: Sendable, Hashable {
    case taken
    /// Only some of the needed devices have approved.
    case waiting(approvals: Int, needed: Int)
}
