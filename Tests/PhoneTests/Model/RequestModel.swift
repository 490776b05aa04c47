import Messages

@testable import Phone

/// One request, a broker, and phones that have the same token, on a network that loses, delays and repeats messages, with
/// a synced folder that damages files, and with programs that stop at any moment. The request is for a statement, or for
/// several documents with one approval.
///
/// Every decision about states is the project's own: ``Messages/RequestStatus`` says which may follow which, and the
/// reconciliation table what a phone does after an answer. The model adds what may happen around them.
struct RequestModel: Explorable {
    typealias Rule = @Sendable (Attempt, BrokerAnswer) -> ReconciliationTable.Rule?

    let rule: Rule
    let phones: Range<UInt8>
    /// The documents that were asked for; none for a statement.
    let documents: DocumentSet
    /// A step that this model takes wrongly, to show that the rules find it.
    let mistake: Mistake?
    /// The number of stopped programs and of lost or late messages and answers in one order of events; nil for no limit.
    let faults: UInt8?

    enum Mistake: Sendable {
        /// The broker keeps a file whose digest is not the manifest's.
        case brokerKeepsDamagedFiles
        /// The broker takes the closing manifest before the documents that it names.
        case brokerEndsEarly
        /// The phone repeats a run that was cut short.
        case phoneRepeatsRuns
        /// The phone fetches a document again that it has delivered.
        case phoneFetchesAgain
        /// The closing manifest leaves out the documents that are missing.
        case closingLeavesOut
    }

    init(
        phones: UInt8, documents: UInt8 = 0, faults: UInt8? = nil, mistake: Mistake? = nil,
        rule: @escaping Rule = { attempt, answer in ReconciliationTable.standard[attempt, answer] }
    ) {
        self.rule = rule
        self.phones = 0..<phones
        self.documents = DocumentSet(first: documents)
        self.mistake = mistake
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
        var heldBack = MessageSet()
        /// The time for the approval is over, by everybody's clock.
        var isOver = false
        /// The phone that has delivered the document.
        var delivered: UInt8?
        /// The delivery is still in the inbox: the broker has not taken it.
        var isInInbox = false
        /// A file of the phone's in the inbox is another one than the phone has signed for.
        var isDamaged = false
        /// The broker has a statement whose bytes are those of its manifest.
        var isVerified = false
        var batch = Batch()
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
        /// The documents that the store knows to be delivered.
        var remembered = DocumentSet()
        /// The contents of the closing manifest, which the store keeps before it is written.
        var closing: Closing?
    }

    enum Task: Hashable {
        case idle
        case deciding(Decision, isSecondTry: Bool)
        case denyingAgain, withdrawing
        case starting, visiting, fetched, published
        case ending
        /// The run of several documents, at one of them, with those that it has delivered.
        case fetching(UInt8, got: DocumentSet)
        case confirming(UInt8, got: DocumentSet)
        case noting(UInt8, got: DocumentSet)
        case closing(delivered: DocumentSet)
        case writingClosing
    }

    struct Message: Hashable {
        enum Kind: String, Hashable, CaseIterable {
            case approve, deny, started, failure

            var number: UInt8 {
                switch self {
                case .approve: 0
                case .deny: 1
                case .started: 2
                case .failure: 3
                }
            }
        }
        let kind: Kind
        let phone: UInt8
    }

    /// Messages of two phones.
    struct MessageSet: Hashable {
        private var bits: UInt8 = 0

        mutating func insert(_ message: Message) { bits |= Self.bit(of: message) }

        var messages: [Message] {
            bits == 0 ? [] : Self.all.filter { bits & Self.bit(of: $0) != 0 }
        }

        private static func bit(of message: Message) -> UInt8 { 1 << (message.kind.number * 2 + message.phone) }

        private static let all = Message.Kind.allCases.flatMap { kind in
            [Message(kind: kind, phone: 0), Message(kind: kind, phone: 1)]
        }
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
                // What is not the manifest's file is set aside, and the request waits for another delivery.
                guard !$0.isDamaged || mistake == .brokerKeepsDamagedFiles else { return }
                Self.move(&$0, from: [.approved], to: .executing)
                if Self.move(&$0, from: [.executing], to: .completed) { $0.isVerified = !$0.isDamaged }
            }
            if !state.isDamaged, var damaged = counted(state) {
                damaged.isDamaged = true
                steps.append(("the sync damages the delivery", damaged))
            }
        }
        if !documents.isEmpty { steps += documentSteps(from: state) }
        for message in state.heldBack.messages {
            add("phone \(message.phone)'s \(message.kind.rawValue) arrives late") { _ = receive(message, in: &$0) }
        }
        return steps
    }

    @discardableResult
    static func move(_ state: inout State, from: Set<RequestStatus>, to: RequestStatus) -> Bool {
        guard from.contains(state.broker), state.broker.successorsAtBroker.contains(to) else { return false }
        state.broker = to
        return true
    }

    /// The broker receives a message.
    private func receive(_ message: Message, in state: inout State) -> BrokerAnswer {
        let isOwn = state.counting == nil || state.counting == message.phone
        switch message.kind {
        case .approve:
            guard !state.isOver, Self.move(&state, from: [.pendingApproval], to: .approved) else { break }
            state.counting = message.phone
            return .accepted
        case .deny:
            if Self.move(&state, from: [.pendingApproval], to: .denied) { return .accepted }
        case .started:
            guard isOwn else { return .otherDevice }
            if Self.move(&state, from: [.approved], to: .executing) { return .accepted }
        case .failure:
            guard isOwn else { return .otherDevice }
            if Self.move(&state, from: [.approved, .executing], to: .failed) { return .accepted }
        }
        if state.broker == .pendingApproval, state.isOver { Self.move(&state, from: [.pendingApproval], to: .expired) }
        return .stands(state.broker)
    }

    /// A phone sends a message: what the broker's answer can be, and the state in which the phone reads it.
    func outcomes(
        of kind: Message.Kind, by phone: UInt8, from state: State
    ) -> [(name: String, answer: BrokerAnswer, state: State)] {
        let message = Message(kind: kind, phone: phone)
        var received = state
        let answer = receive(message, in: &received)
        var delayed = state
        delayed.heldBack.insert(message)
        let name = "phone \(phone) sends \(kind.rawValue)"
        let faults: [(name: String, answer: BrokerAnswer, state: State)] = [
            ("\(name), the answer is lost", .unclear, received), ("\(name), held back", .unclear, delayed),
            ("\(name), unreachable", .unreachable, state), ("\(name), refused", .refused, state),
        ]
        return [("\(name): \(answer.words)", answer, received)]
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

extension BrokerAnswer {
    /// The answer in a trace. The reflection behind an interpolated case would take most of the exploration's time.
    fileprivate var words: String {
        switch self {
        case .accepted: "accepted"
        case .stands(let status): "it is \(status.rawValue)"
        case .conflict: "conflict"
        case .otherDevice: "another device runs it"
        case .unreachable: "unreachable"
        case .unclear: "unclear"
        case .refused: "refused"
        }
    }
}
