/// A bank, and a phone that signs in for several approved requests, and that stops at any moment. Each visit has a process of its
/// own, which can end at any moment, too.
///
/// The bank locks an account after a few wrong passwords. So a password that it has refused is not sent again before a
/// person has seen the refusal. The phone notes each sign-in before it begins (see `PhoneDatabase+SignIns`), keeps a hold
/// on the bank after a refusal (`PhoneDatabase+Holds`), and looks for one before it approves and before it runs. A visit whose
/// process ended after it was given a password counts as refused (`LostVisit`).
struct SignInModel: Explorable {
    enum Mistake: Sendable, CaseIterable {
        /// A sign-in is not noted before it begins.
        case notesNothing
        /// A run does not look for a hold that came after its approval.
        case runsWithoutLooking
        /// A new hold has the name of the one before, so that a confirmation of that one counts for it.
        case reusesHolds
        /// A start of the phone forgets the sign-ins that were under way.
        case forgetsAtStart
        /// A visit whose process has ended says nothing about the password.
        case forgetsLostVisits
    }

    let requests: Int
    /// The number of stops.
    let stops: UInt8
    let mistake: Mistake?

    init(requests: Int, stops: UInt8, mistake: Mistake? = nil) {
        self.requests = requests
        self.stops = stops
        self.mistake = mistake
    }

    /// A request on the phone.
    enum Request: Hashable {
        case waiting
        /// Approved, with the hold that the person confirmed, and with the number of refusals that the person knew of.
        case approved(confirmed: UInt8?, known: UInt8)
        case signingIn(confirmed: UInt8?, known: UInt8)
        case answered(isAccepted: Bool)
        case ended
    }

    struct State: Hashable {
        var requests: [Request]
        /// The phone's hold on the bank, for the credentials that are stored now.
        var hold: UInt8?
        var lastHold: UInt8 = 0
        /// The store's note of a sign-in that began.
        var isUnderWay = false
        /// The process has started, and has looked at what an earlier one left.
        var isStarted = true
        var stops: UInt8 = 0
        /// The bank's own count of refused passwords since the last one that it took, or since other credentials.
        var refusals: UInt8 = 0
        /// The bank was sent a password that it had refused, and the person had not confirmed another try.
        var wasSentAgain = false
        var hasNewCredentials = false
    }

    var start: State { State(requests: Array(repeating: .waiting, count: requests)) }

    func violation(in state: State) -> String? {
        if state.wasSentAgain { return "a password is sent again after a refusal that the person has not seen" }
        if state.isStarted, !state.isUnderWay, state.refusals > 0, state.hold == nil, !state.hasOpenSignIn {
            return "the bank has refused the password, and the phone holds nothing"
        }
        return nil
    }

    func steps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        guard state.isStarted else {
            add("the phone starts") { begin(&$0) }
            return steps
        }
        if state.stops < stops {
            add("the phone stops") { next in
                next.stops += 1
                next.isStarted = false
                // Approved requests whose run was cut short end at the next start.
                next.requests = next.requests.map { $0 == .waiting ? .waiting : .ended }
            }
        }
        if !state.hasNewCredentials, !state.hasOpenSignIn {
            add("the person stores other credentials") {
                $0.hasNewCredentials = true
                $0.hold = nil
                $0.refusals = 0
            }
        }
        for number in state.requests.indices { steps += self.steps(of: number, from: state) }
        return steps
    }

    private func steps(of number: Int, from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append(("request \(number) \(name)", next))
        }
        switch state.requests[number] {
        case .waiting:
            if state.hold == nil {
                add("is approved") { $0.requests[number] = .approved(confirmed: nil, known: 0) }
            }
            if let hold = state.hold {
                add("is approved, and another try is confirmed") {
                    $0.requests[number] = .approved(confirmed: hold, known: $0.refusals)
                }
            }
        case .approved(let confirmed, let known):
            // Runs follow one another.
            guard !state.hasOpenSignIn else { break }
            if let hold = state.hold, hold != confirmed, mistake != .runsWithoutLooking {
                add("is not run because of a hold") { $0.requests[number] = .ended }
            } else {
                add("begins to sign in") {
                    if mistake != .notesNothing { $0.isUnderWay = true }
                    $0.requests[number] = .signingIn(confirmed: confirmed, known: known)
                }
            }
        case .signingIn(_, let known):
            for isAccepted in [true, false] {
                add("sends the password, which the bank \(isAccepted ? "takes" : "refuses")") {
                    if $0.refusals > known { $0.wasSentAgain = true }
                    $0.refusals = isAccepted ? 0 : $0.refusals + 1
                    $0.requests[number] = .answered(isAccepted: isAccepted)
                }
            }
            add("fails before the password is sent") {
                $0.isUnderWay = false
                $0.requests[number] = .ended
            }
            add("loses its process, which has the password") { lose(number, &$0) }
        case .answered(let isAccepted):
            add("loses its process, which has the bank's answer") { lose(number, &$0) }
            add("notes the bank's answer") {
                $0.isUnderWay = false
                if isAccepted { $0.hold = nil } else { hold(&$0) }
                $0.requests[number] = .ended
            }
        case .ended: break
        }
        return steps
    }

    /// The phone cannot tell whether the bank was sent the password.
    private func lose(_ number: Int, _ state: inout State) {
        state.isUnderWay = false
        if mistake != .forgetsLostVisits { hold(&state) }
        state.requests[number] = .ended
    }

    private func begin(_ state: inout State) {
        state.isStarted = true
        guard state.isUnderWay else { return }
        state.isUnderWay = false
        if mistake != .forgetsAtStart { hold(&state) }
    }

    private func hold(_ state: inout State) {
        if mistake != .reusesHolds || state.lastHold == 0 { state.lastHold += 1 }
        state.hold = state.lastHold
    }
}

extension SignInModel.State {
    /// A run is between its beginning and the note of its end.
    var hasOpenSignIn: Bool {
        requests.contains { request in
            switch request {
            case .signingIn, .answered: true
            case .waiting, .approved, .ended: false
            }
        }
    }
}
