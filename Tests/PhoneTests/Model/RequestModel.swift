import Messages

@testable import Phone

/// One request, a broker, and phones that have the same token, on a network that loses, delays and repeats messages, and
/// with programs that stop at any moment.
///
/// Every decision about states is the project's own: ``Messages/RequestStatus`` says which may follow which, and the
/// reconciliation table what a phone does after an answer. The model adds what may happen around them.
struct RequestModel: Explorable {
    typealias Rule = @Sendable (Attempt, BrokerAnswer) -> ReconciliationTable.Rule?

    let rule: Rule
    let phones: Range<UInt8>
    /// The number of stopped programs and of lost or late messages and answers in one order of events; nil for no limit.
    let faults: UInt8?

    init(
        phones: UInt8, faults: UInt8? = nil,
        rule: @escaping Rule = { attempt, answer in ReconciliationTable.standard[attempt, answer] }
    ) {
        self.rule = rule
        self.phones = 0..<phones
        self.faults = faults
    }

    var start: State { State() }

    struct State: Hashable {
        var broker = RequestStatus.pendingApproval
        /// The phone whose approval counts.
        var counting: UInt8?
        var first = PhoneState()
        var second = PhoneState()
        /// Messages that the network holds back. Each can reach the broker at any time, any number of times.
        var heldBack: Set<Message> = []
        /// The time for the approval is over, by everybody's clock.
        var isOver = false
        /// The phone that has delivered the document.
        var delivered: UInt8?
        /// The delivery is still in the inbox: the broker has not taken it.
        var isInInbox = false
        /// The number of faults until now, where it is limited.
        var faults: UInt8 = 0
        /// The broker has told a phone that it took this phone's denial.
        var isDenied = false

        subscript(phone: UInt8) -> PhoneState {
            get { phone == 0 ? first : second }
            set { if phone == 0 { first = newValue } else { second = newValue } }
        }

        var stored: [PhoneState] { [first, second] }
        var visits: Int { Int(first.visits + second.visits) }
    }

    /// The contents of a phone's store, and the task of its program.
    struct PhoneState: Hashable {
        var status = RequestStatus.pendingApproval
        var claim: Decision?
        var isUnanswered = false
        var owesReport = false
        var task = Task.idle
        /// The numbers of the person's decisions here.
        var approvals: UInt8 = 0
        var denials: UInt8 = 0
        var visits: UInt8 = 0
    }

    enum Task: Hashable {
        case idle
        case deciding(Decision, isSecondTry: Bool)
        case denyingAgain, withdrawing
        case starting, visiting, fetched, published
        case ending
    }

    struct Message: Hashable {
        enum Kind: Hashable { case approve, deny, started, failure }
        let kind: Kind
        let phone: UInt8
    }

    // MARK: Rules

    func violation(in state: State) -> String? {
        if state.visits > 1 { return "the bank is visited twice" }
        for (phone, stored) in state.stored.enumerated() where stored.visits > 0 {
            if stored.approvals == 0 { return "the bank is visited without an approval there" }
            if state.counting != UInt8(phone) { return "the bank is visited without an approval that counts" }
        }
        if state.isDenied, state.visits > 0 { return "the bank is visited after a denial that the broker took" }
        if state.broker == .completed, state.delivered == nil || state.delivered != state.counting {
            return "the broker has completed the request without a delivery by the phone that ran it"
        }
        if state.broker == .completed, state.visits == 0 { return "a document without a visit" }
        for (phone, stored) in state.stored.enumerated()
        where stored.status == .completed && state.delivered != UInt8(phone) {
            return "a phone has completed the request without a delivery"
        }
        return nil
    }

    // MARK: Steps

    func steps(from state: State) -> [(name: String, state: State)] {
        var steps = brokerSteps(from: state)
        for phone in phones { steps += phoneSteps(of: phone, from: state) }
        return steps
    }

    private func brokerSteps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        if !state.isOver { add("time passes") { $0.isOver = true } }
        if state.isOver {
            add("the broker's request expires") { Self.move(&$0, from: [.pendingApproval], to: .expired) }
        }
        add("the execution times out") { Self.move(&$0, from: [.approved, .executing], to: .failed) }
        if state.isInInbox {
            add("the broker takes the delivery") {
                $0.isInInbox = false
                Self.move(&$0, from: [.approved], to: .executing)
                Self.move(&$0, from: [.executing], to: .completed)
            }
        }
        for message in state.heldBack {
            add("phone \(message.phone)'s \(message.kind) arrives late") { _ = Self.receive(message, in: &$0) }
        }
        return steps
    }

    @discardableResult
    private static func move(_ state: inout State, from: Set<RequestStatus>, to: RequestStatus) -> Bool {
        guard from.contains(state.broker), state.broker.successorsAtBroker.contains(to) else { return false }
        state.broker = to
        return true
    }

    /// The broker receives a message.
    private static func receive(_ message: Message, in state: inout State) -> BrokerAnswer {
        switch message.kind {
        case .approve:
            guard !state.isOver, move(&state, from: [.pendingApproval], to: .approved) else { break }
            state.counting = message.phone
            return .accepted
        case .deny:
            if move(&state, from: [.pendingApproval], to: .denied) { return .accepted }
        case .started:
            guard state.counting == nil || state.counting == message.phone else { return .otherDevice }
            if move(&state, from: [.approved], to: .executing) { return .accepted }
        case .failure:
            guard state.counting == nil || state.counting == message.phone else { return .otherDevice }
            if move(&state, from: [.approved, .executing], to: .failed) { return .accepted }
        }
        if state.broker == .pendingApproval, state.isOver { move(&state, from: [.pendingApproval], to: .expired) }
        return .stands(state.broker)
    }

    /// A phone sends a message: what the broker's answer can be, and the state in which the phone reads it.
    func outcomes(
        of kind: Message.Kind, by phone: UInt8, from state: State
    ) -> [(name: String, answer: BrokerAnswer, state: State)] {
        let message = Message(kind: kind, phone: phone)
        var received = state
        let answer = Self.receive(message, in: &received)
        var delayed = state
        delayed.heldBack.insert(message)
        let name = "phone \(phone) sends \(kind)"
        let faults: [(name: String, answer: BrokerAnswer, state: State)] = [
            ("\(name), the answer is lost", .unclear, received), ("\(name), held back", .unclear, delayed),
            ("\(name), unreachable", .unreachable, state), ("\(name), refused", .refused, state),
        ]
        return [("\(name): \(answer)", answer, received)]
            + faults.compactMap { name, answer, next in
                counted(next).map { (name, answer, $0) }
            }
    }

    /// Counts a fault; nil when there were as many as there may be.
    func counted(_ state: State) -> State? {
        guard let faults else { return state }
        guard state.faults < faults else { return nil }
        var next = state
        next.faults += 1
        return next
    }
}
