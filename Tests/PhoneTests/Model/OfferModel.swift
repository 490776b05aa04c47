import Messages

/// An offer at the broker that two phones open, and the requests that the openings make.
///
/// A phone's opening is three steps at the broker, between which it can stop and others can come: it reads the offer,
/// makes a request or finds the same that waits, and notes the request with the offer.
struct OfferModel: Explorable {
    enum Step: Hashable {
        case idle
        /// The offer was waiting, with the request of an earlier opening.
        case read(request: UInt8?)
        /// It has the number of the request, which this opening has made or has found.
        case issued(UInt8, isNew: Bool, read: UInt8?)
    }

    struct State: Hashable {
        /// The states of the requests, by their numbers.
        var requests: [RequestStatus] = []
        var noted: UInt8?
        var outcome: Outcome?
        var isOver = false
        var first = Step.idle
        var second = Step.idle
        /// The owner has denied a request of the offer, or dismissed the offer.
        var isUnwanted = false
        var openings: UInt8 = 0

        subscript(phone: Int) -> Step {
            get { phone == 0 ? first : second }
            set { if phone == 0 { first = newValue } else { second = newValue } }
        }
    }

    enum Outcome: Hashable { case dismissed, withdrawn, expired }

    let openings: UInt8
    /// A request that an opening has made is left as it is when the offer has ended meanwhile.
    let leavesRequests: Bool

    var start: State { State() }

    func isWaiting(_ state: State) -> Bool {
        guard state.outcome == nil else { return false }
        return state.noted.map { [.expired, .failed].contains(state.requests[Int($0)]) } ?? true
    }

    func violation(in state: State) -> String? {
        let open = state.requests.indices.filter { !state.requests[$0].isTerminal }
        if open.count > 1 { return "two requests of one offer are open" }
        // One that the owner has approved meanwhile is wanted.
        if let one = open.first, state.requests[one] == .pendingApproval, state.first == .idle, state.second == .idle,
            state.noted != UInt8(one)
        {
            return "a request waits for the owner that the offer does not know"
        }
        if state.requests.count(where: { $0 == .completed }) > 1 { return "the documents of one offer come twice" }
        return nil
    }

    func steps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        for phone in 0...1 {
            switch state[phone] {
            case .idle:
                if isWaiting(state), !state.isOver, state.openings < openings {
                    add("phone \(phone) opens: the offer waits") {
                        $0.openings += 1
                        $0[phone] = .read(request: state.noted)
                    }
                }
            case .read(let read):
                add("phone \(phone) opens: a request is made, or the same found") { next in
                    // Documents that the agent has are not fetched again.
                    let same = next.requests.firstIndex { !$0.isTerminal || $0 == .completed }
                    if same == nil { next.requests.append(.pendingApproval) }
                    next[phone] = .issued(UInt8(same ?? next.requests.count - 1), isNew: same == nil, read: read)
                }
            case .issued(let number, let isNew, let read):
                add("phone \(phone) opens: it is noted") { note(number, isNew, after: read, by: phone, in: &$0) }
            }
        }
        for (number, status) in state.requests.enumerated() {
            for next in RequestStatus.allCases where status.successorsAtBroker.contains(next) {
                add("request \(number): \(next.rawValue)") { $0.requests[number] = next }
            }
        }
        if isWaiting(state), !state.isOver {
            add("the owner dismisses it") { $0.outcome = .dismissed }
            add("the agent withdraws it") { $0.outcome = .withdrawn }
        }
        if !state.isOver { add("its time is over") { $0.isOver = true } }
        if state.isOver, isWaiting(state) { add("it expires") { $0.outcome = .expired } }
        return steps
    }

    private func note(_ number: UInt8, _ isNew: Bool, after read: UInt8?, by phone: Int, in state: inout State) {
        state[phone] = .idle
        if state.outcome == nil, state.noted == read {
            state.noted = number
        } else if isNew, !leavesRequests, state.noted != number, state.requests[Int(number)] == .pendingApproval {
            state.requests[Int(number)] = .expired
        }
    }
}
