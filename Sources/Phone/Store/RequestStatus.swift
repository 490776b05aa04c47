/// Where a request stands on the phone (specification, sections 8 and 9.1).
public enum RequestStatus: String, Sendable, Hashable, CaseIterable {
    case pendingApproval = "PENDING_APPROVAL"
    case approved = "APPROVED"
    case executing = "EXECUTING"
    case completed = "COMPLETED"
    case failed = "FAILED"
    case denied = "DENIED"
    case expired = "EXPIRED"

    public var isTerminal: Bool { successors.isEmpty }

    /// The states that may follow.
    var successors: Set<RequestStatus> {
        switch self {
        case .pendingApproval: [.approved, .denied, .expired]
        case .approved: [.executing, .failed]
        case .executing: [.completed, .failed]
        case .completed, .failed, .denied, .expired: []
        }
    }
}
