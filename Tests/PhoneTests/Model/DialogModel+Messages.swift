/// The messages of a visit, and what the bank makes of them.
extension DialogModel {
    private enum Answer: String, CaseIterable {
        case taken = "takes"
        case asksForTAN = "wants released with a TAN"
        case wrongPIN = "refuses because of the PIN"
        /// Some banks refuse a PIN with nothing but such a code.
        case general = "refuses without a reason"
        /// It does not know the way in that an earlier visit had.
        case stale = "refuses because of what the phone kept"
        case maintenance = "cannot handle now"
        case wrongTAN = "refuses because of the TAN"
    }

    /// The way of a message.
    private enum Fate: String, CaseIterable {
        case unsent = "does not leave the phone"
        case lost = "gets lost before the bank"
        case unanswered = "reaches the bank, and its answer gets lost"
        /// The dialog is left: the bank waits in it.
        case cancelled = "reaches the bank, and is cancelled"
    }

    func exchanges(of visit: Visit, from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State, inout Visit) -> Void) {
            var (next, after) = (state, visit)
            change(&next, &after)
            next.visit = after
            steps.append(("the message \(visit.next) \(name)", next))
        }
        let message = visit.next
        if message == .tan { add("has no TAN") { _, visit in Self.end(&visit, as: .noTAN) } }
        // The end of a dialog is not waited for, so that it matters only whether it arrives.
        for fate in message == .leave ? [.unsent] : Fate.allCases {
            add(fate.rawValue) { next, visit in
                guard message != .leave else {
                    visit.next = .signIn
                    return
                }
                if fate == .unanswered || fate == .cancelled { receive(message, of: visit, in: &next) }
                if fate != .unsent, message != .parameters { (visit.hasSent, visit.isUnanswered) = (true, true) }
                if fate == .unanswered, mistake == .repeatsMessages { return }
                visit.isOpen = visit.isOpen && fate == .cancelled
                Self.end(&visit, as: .network)
            }
        }
        for answer in answers(to: message, of: visit, in: state) {
            add("reaches the bank, which \(answer.rawValue)") { next, visit in
                if answer != .maintenance, answer != .stale { receive(message, of: visit, in: &next) }
                visit.hasSent = visit.hasSent || message != .parameters
                read(answer, to: message, &visit, &next)
            }
        }
        return steps
    }

    /// The answers that the bank may give to a message.
    private func answers(to message: Message, of visit: Visit, in state: State) -> [Answer] {
        switch message {
        case .parameters: [.taken, .maintenance]
        case .synchronise: state.isRight ? [.taken, .general, .maintenance] : [.wrongPIN, .general, .maintenance]
        case .signIn:
            (state.isRight ? [.taken, .asksForTAN, .general, .maintenance] : [.wrongPIN, .general, .maintenance])
                + (visit.isKnown ? [.stale] : [])
        case .tan: [.taken, .wrongTAN]
        case .job: [.taken, .general]
        case .leave: [.taken]
        }
    }

    /// The bank counts a wrong PIN, and begins anew with a right one.
    private func receive(_ message: Message, of visit: Visit, in state: inout State) {
        guard message != .parameters else { return }
        guard !state.isRight else {
            state.wrongPINs = 0
            return
        }
        if state.wrongPINs > visit.known { state.wasCountedUnseen = true }
        state.wrongPINs += 1
    }

    private func read(_ answer: Answer, to message: Message, _ visit: inout Visit, _ state: inout State) {
        switch (message, answer) {
        case (.leave, _): visit.next = .signIn
        case (.parameters, .taken):
            if mistake == .takesParametersForSignIn { visit.isSignedIn = true }
            visit.next = .synchronise
        case (.synchronise, .taken):
            visit.isSignedIn = true
            visit.next = .signIn
        case (.signIn, .taken), (.signIn, .asksForTAN):
            (visit.isSignedIn, visit.isOpen) = (true, true)
            visit.next = answer == .taken ? .job : .tan
        case (.tan, .taken): visit.next = .job
        case (.tan, _):
            state.refusedTANs += 1
            Self.end(&visit, as: .wrongTAN)
        case (.job, .taken): Self.end(&visit, as: .completed)
        case (.job, _): Self.end(&visit, as: .refusedJob)
        case (.signIn, .general) where visit.isKnown && mistake == .takesGeneralRefusalForStale,
            (_, .stale):
            (visit.isKnown, visit.next) = (false, .parameters)
        case (_, .wrongPIN):
            visit.isOpen = mistake == .leavesAfterRefusal
            Self.end(&visit, as: .wrongPIN)
        case (_, .maintenance): Self.end(&visit, as: .maintenance)
        default: Self.end(&visit, as: .refused)
        }
    }

    /// Ends a visit. A dialog in which the bank has taken the PIN is left with a message.
    private static func end(_ visit: inout Visit, as end: End) {
        visit.end = end
        // Any message but the last one: it is not sent.
        visit.next = visit.isOpen ? .leave : .signIn
        visit.isOpen = false
    }
}
