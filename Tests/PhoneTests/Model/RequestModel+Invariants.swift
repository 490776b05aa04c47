import Messages

extension RequestModel {
    /// A rule that holds in every state.
    struct Invariant {
        /// The words for a state that breaks it.
        let violation: String
        let isBroken: @Sendable (_ state: State, _ documents: DocumentSet) -> Bool
    }

    static let invariants: [Invariant] = [
        Invariant(violation: "the bank is visited twice") { state, _ in state.visits > 1 },
        Invariant(violation: "the bank is visited without an approval there") { state, _ in
            state.stored.contains { $0.visits > 0 && $0.approvals == 0 }
        },
        Invariant(violation: "the bank is visited without an approval that counts") { state, _ in
            state.stored.enumerated().contains { $1.visits > 0 && state.counting != UInt8($0) }
        },
        Invariant(violation: "the bank is visited after a denial that the broker took") { state, _ in
            state.isDenied && state.visits > 0
        },
        Invariant(
            violation: "the broker has completed the request without a delivery by the phone that ran it"
        ) { state, _ in
            state.broker == .completed && (state.delivered == nil || state.delivered != state.counting)
        },
        Invariant(violation: "a document without a visit") { state, _ in
            (state.isVerified || !state.batch.held.isEmpty || state.broker == .completed) && state.visits == 0
        },
        Invariant(violation: "the request has completed without verified bytes") { state, documents in
            guard state.broker == .completed else { return false }
            return documents.isEmpty ? !state.isVerified : state.batch.verified.isEmpty
        },
        Invariant(violation: "the broker has a document that no phone has signed for") { state, _ in
            !state.batch.held.isSubset(of: state.batch.verified)
                || !state.batch.verified.isSubset(of: state.batch.published)
        },
        Invariant(violation: "the request has completed while a document has no end") { state, documents in
            state.broker == .completed && state.batch.held.union(state.batch.missing) != documents
        },
        Invariant(violation: "a document is fetched twice") { state, _ in state.batch.hasFetchedTwice },
        Invariant(violation: "a phone has completed the request without a delivery") { state, _ in
            state.stored.enumerated().contains { $1.status == .completed && state.delivered != UInt8($0) }
        },
        Invariant(violation: "a phone has completed the request without a closing manifest") { state, documents in
            !documents.isEmpty && state.stored.contains { $0.status == .completed && $0.closing == nil }
        },
    ]

    func violation(in state: State) -> String? {
        Self.invariants.first { $0.isBroken(state, documents) }?.violation
    }
}
