import Messages

@testable import Phone

/// The steps of a phone: of its person, of its program, and of chance.
extension RequestModel {
    func phoneSteps(of phone: UInt8, from state: State) -> [(name: String, state: State)] {
        let stored = state[phone]
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout PhoneState) -> Void) {
            var next = state
            change(&next[phone])
            steps.append(("phone \(phone) \(name)", next))
        }
        if state.isOver, stored.status == .pendingApproval { add("lets the request expire") { $0.status = .expired } }
        if stored.task != .idle, var stopped = counted(state) {
            stopped[phone].task = .idle
            steps.append(("phone \(phone) stops", stopped))
        }
        switch stored.task {
        case .idle: steps += idleSteps(of: phone, from: state)
        case .fetching, .noting, .closing, .writingClosing: steps += fetchingSteps(of: phone, from: state)
        case .visiting:
            add("visits the bank") {
                $0.visits += 1
                $0.task = documents.isEmpty ? .fetched : .fetching(0, got: DocumentSet())
            }
            add("visits the bank in vain") {
                $0.visits += 1
                Self.fail(&$0, owesReport: true)
            }
        case .published:
            add("records the delivery") {
                if $0.status == .executing { $0.status = .completed }
                $0.task = .idle
            }
        default: steps += sendingSteps(of: phone, from: state)
        }
        return steps
    }

    private func idleSteps(of phone: UInt8, from state: State) -> [(name: String, state: State)] {
        let stored = state[phone]
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout PhoneState) -> Void) {
            var next = state
            change(&next[phone])
            steps.append(("phone \(phone) \(name)", next))
        }
        if stored.status == .pendingApproval {
            if stored.claim == nil, !state.isOver {
                if stored.approvals < 2 {
                    add("approves") {
                        $0.approvals += 1
                        $0.claim = .approve
                        $0.task = .deciding(.approve, isSecondTry: false)
                    }
                }
                if stored.denials < 1 {
                    add("denies") {
                        $0.denials += 1
                        $0.claim = .deny
                        $0.task = .deciding(.deny, isSecondTry: false)
                    }
                }
            }
            if stored.claim == .deny { add("looks into its denial") { $0.task = .denyingAgain } }
            if stored.claim == .approve { add("looks into its approval") { $0.task = .withdrawing } }
            // The broker's list no longer has the request.
            if stored.claim == nil, stored.isUnanswered, state.broker != .pendingApproval {
                add("looks for a late approval") { $0.task = .withdrawing }
            }
        }
        if [.approved, .executing].contains(stored.status) {
            if let again = Self.continuation(of: stored, documents, mistake) {
                add("goes on after a run that was cut short") { $0.task = again }
            } else if documents.isEmpty, state.isInInbox, state.delivered == phone {
                add("finds its delivery") { if $0.status == .executing { $0.status = .completed } }
            } else {
                add("ends a run that was cut short") { $0.task = .ending }
            }
        }
        if stored.owesReport { steps += reports(by: phone, from: state) }
        return steps
    }

    private func reports(by phone: UInt8, from state: State) -> [(name: String, state: State)] {
        outcomes(of: .failure, by: phone, from: state).map { name, answer, next in
            var next = next
            if ![.unreachable, .unclear, .refused].contains(answer) { next[phone].owesReport = false }
            return (name, next)
        }
    }

    private func sendingSteps(of phone: UInt8, from state: State) -> [(name: String, state: State)] {
        let task = state[phone].task
        return outcomes(of: Self.message(of: task), by: phone, from: state).map { name, answer, state in
            var next = state
            switch task {
            case .deciding(let decision, let isSecondTry):
                decide(decision, answer, isSecondTry: isSecondTry, by: phone, in: &next)
            case .denyingAgain: settle(.denyAgain, answer, by: phone, in: &next)
            case .withdrawing: settle(.withdraw, answer, by: phone, in: &next)
            case .starting: begin(answer, by: phone, in: &next)
            case .fetched: deliver(answer, by: phone, in: &next)
            case .confirming(let document, let got): deliver(document, answer, got: got, by: phone, in: &next)
            case .ending:
                let attempt: Attempt = next[phone].status == .executing ? .endExecuting : .endApproved
                settle(attempt, answer, by: phone, in: &next)
            default: break
            }
            return (name, next)
        }
    }

    private static func message(of task: Task) -> Message.Kind {
        switch task {
        case .deciding(.approve, _): .approve
        case .deciding(.deny, _), .denyingAgain: .deny
        case .starting, .fetched, .confirming: .started
        default: .failure
        }
    }

    // MARK: Decisions

    /// A decision whose answer got lost is sent once more; see ``Phone/Decisions``.
    private func decide(
        _ decision: Decision, _ answer: BrokerAnswer, isSecondTry: Bool, by phone: UInt8, in state: inout State
    ) {
        let attempt: Attempt = decision == .approve ? .approve : .deny
        guard isSecondTry else {
            if answer == .unclear {
                state[phone].task = .deciding(decision, isSecondTry: true)
            } else {
                settle(attempt, answer, by: phone, in: &state)
            }
            return
        }
        let isOwn = state.counting == nil || state.counting == phone
        let aim: RequestStatus = decision == .approve ? .approved : .denied
        switch answer {
        case .stands(aim) where isOwn: take(decision, by: phone, in: &state)
        case .unreachable, .refused, .stands(.pendingApproval): settle(attempt, .unclear, by: phone, in: &state)
        default: settle(attempt, answer, by: phone, in: &state)
        }
    }

    private func take(_ decision: Decision, by phone: UInt8, in state: inout State) {
        state[phone].task = .idle
        if decision == .deny { state.isDenied = true }
        guard state[phone].status == .pendingApproval else { return }
        state[phone].status = decision == .approve ? .approved : .denied
        if decision == .approve { state[phone].task = .starting }
    }

    private func settle(_ attempt: Attempt, _ answer: BrokerAnswer, by phone: UInt8, in state: inout State) {
        state[phone].task = .idle
        guard let rule = rule(attempt, answer) else { return }
        var step = rule.step
        if rule.step != rule.stepIfUnanswered {
            let isOwn = state.counting.map { $0 == phone } ?? state[phone].isUnanswered
            if isOwn { step = rule.stepIfUnanswered }
        }
        apply(step, after: attempt, by: phone, in: &state)
    }

    private func apply(_ step: ReconciliationStep, after attempt: Attempt, by phone: UInt8, in state: inout State) {
        func end(as status: RequestStatus) {
            if state[phone].status == .pendingApproval { state[phone].status = status }
        }
        switch step {
        case .takeDecision: take(attempt == .approve ? .approve : .deny, by: phone, in: &state)
        case .endDenied: end(as: .denied)
        case .endExpired, .endOtherDevice: end(as: .expired)
        case .endFailed: end(as: .failed)
        case .withdraw: state[phone].task = .withdrawing
        case .release, .releaseUnanswered:
            guard state[phone].status == .pendingApproval else { return }
            state[phone].claim = nil
            if step == .releaseUnanswered { state[phone].isUnanswered = true }
        case .completeRun: if state[phone].status == .executing { state[phone].status = .completed }
        case .failRun: Self.fail(&state[phone], owesReport: false)
        case .failRunAndReport: Self.fail(&state[phone], owesReport: true)
        case .wait, .raise: break
        }
    }

    // MARK: Runs

    static func fail(_ phone: inout PhoneState, owesReport: Bool) {
        phone.task = .idle
        guard phone.status.successorsOnPhone.contains(.failed) else { return }
        phone.status = .failed
        phone.owesReport = owesReport
    }

    private func begin(_ answer: BrokerAnswer, by phone: UInt8, in state: inout State) {
        if Self.hasEnded(answer, goingOn: [.approved]) {
            return Self.fail(&state[phone], owesReport: false)
        }
        guard state[phone].status == .approved else {
            state[phone].task = .idle
            return
        }
        state[phone].status = .executing
        state[phone].task = .visiting
    }

    private func deliver(_ answer: BrokerAnswer, by phone: UInt8, in state: inout State) {
        if Self.hasEnded(answer, goingOn: [.approved, .executing]) {
            return Self.fail(&state[phone], owesReport: false)
        }
        state.delivered = phone
        state.isInInbox = true
        state[phone].task = .published
    }

    static func hasEnded(_ answer: BrokerAnswer, goingOn: Set<RequestStatus>) -> Bool {
        switch answer {
        case .otherDevice: true
        case .stands(let status): !goingOn.contains(status)
        default: false
        }
    }
}
