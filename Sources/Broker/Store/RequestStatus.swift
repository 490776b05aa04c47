/// A request's state at the broker (specification, section 8).
public enum RequestStatus: String, Sendable, Hashable, CaseIterable {
    case sent = "SENT"
    case pendingApproval = "PENDING_APPROVAL"
    case approved = "APPROVED"
    case executing = "EXECUTING"
    case completed = "COMPLETED"
    case failed = "FAILED"
    case denied = "DENIED"
    case expired = "EXPIRED"

    public var isTerminal: Bool { successors.isEmpty }

    /// The states that this one may turn into; there are no others.
    public var successors: Set<RequestStatus> {
        switch self {
        case .sent: [.pendingApproval]
        case .pendingApproval: [.approved, .denied, .expired]
        case .approved: [.executing, .failed]
        case .executing: [.completed, .failed]
        case .completed, .failed, .denied, .expired: []
        }
    }
}
