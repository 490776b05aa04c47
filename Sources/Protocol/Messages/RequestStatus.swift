/// The state of a request (specification, sections 8 and 9.1).
public enum RequestStatus: String, Sendable, Hashable, CaseIterable {
    /// The broker has the request and has not asked the phone yet. The phone never has a request in this state.
    case sent = "SENT"
    case pendingApproval = "PENDING_APPROVAL"
    case approved = "APPROVED"
    case executing = "EXECUTING"
    case completed = "COMPLETED"
    case failed = "FAILED"
    case denied = "DENIED"
    case expired = "EXPIRED"

    public var isTerminal: Bool { successorsAtBroker.isEmpty }

    /// The states that may follow this one at the broker.
    public var successorsAtBroker: Set<RequestStatus> { Self.brokerTransitions[self] ?? [] }

    /// The states that may follow this one on the phone.
    public var successorsOnPhone: Set<RequestStatus> { Self.phoneTransitions[self] ?? [] }

    /// The broker's state machine.
    private static let brokerTransitions: [RequestStatus: Set<RequestStatus>] = [
        .sent: [.pendingApproval],
        .pendingApproval: [.approved, .denied, .expired],
        .approved: [.executing, .failed],
        .executing: [.completed, .failed],
    ]

    /// The phone's state machine. A request begins there as PENDING_APPROVAL.
    private static let phoneTransitions: [RequestStatus: Set<RequestStatus>] = [
        .pendingApproval: [.approved, .denied, .expired],
        .approved: [.executing, .failed],
        .executing: [.completed, .failed],
    ]
}
