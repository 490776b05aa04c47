/// A bank that gives a new token for each one that it is shown, once, and runs in several programs that renew what one phone keeps.
/// Each run has a process of its own for the visit, which can end at any moment, and so can the phone.
///
/// A bank that sees a token a second time ends the consent (RFC 9700, section 4.14.2). So a run holds the phone's lock from the
/// reading of a token until its successor is kept (`VaultGrantStore`), and what has reached the phone is kept although the
/// process ends meanwhile (`VisitDesk`). A token that a process took with it is gone: the next run hears of it, and notes the end
/// of the consent, so that no further one asks in vain.
struct ExchangeModel: Explorable {
    enum Mistake: Sendable, CaseIterable {
        /// Runs renew beside each other.
        case locksNothing
        /// The end of a process cuts short what the phone keeps for it.
        case cutsKeeping
        /// The end of a process frees the lock, although the phone still keeps something for it.
        case freesLockEarly
        /// A refusal is not noted.
        case notesNoEnd
    }

    static let invariants = [
        "a spent token is sent although its successor was not lost with a process",
        "what the bank gave is gone, and no end of a process explains it",
        "the bank is asked again after a run has heard that the consent has ended",
    ]

    let runs: Int
    let stops: UInt8
    let mistake: Mistake?

    init(runs: Int, stops: UInt8, mistake: Mistake? = nil) {
        self.runs = runs
        self.stops = stops
        self.mistake = mistake
    }

    enum Run: Hashable {
        case idle
        /// Has read this token.
        case reading(UInt8)
        /// The process has this token from the bank, and the phone does not.
        case answered(UInt8)
        /// The phone has this token in its memory.
        case keeping(UInt8, isAlone: Bool)
        case refused
        case ended
    }

    struct State: Hashable {
        var runs: [Run]
        /// The run with the phone's lock.
        var holder: Int?
        /// The token on the phone's disk.
        var kept: UInt8 = 0
        /// The token that the bank takes now.
        var current: UInt8 = 0
        var isRevoked = false
        /// A process or the phone has ended with a token that was nowhere else.
        var isLost = false
        var isEndNoted = false
        /// A run has heard a refusal, and the phone was told.
        var isEndHeard = false
        var wasWasted = false
        var wasAskedInVain = false
        var stops: UInt8 = 0
        var isConnectedAgain = false
    }

    var start: State { State(runs: Array(repeating: .idle, count: runs)) }

    func violation(in state: State) -> String? {
        if state.wasWasted { return Self.invariants[0] }
        if state.runs.allSatisfy({ $0 == .ended }), !state.isLost, state.kept != state.current {
            return Self.invariants[1]
        }
        if state.wasAskedInVain { return Self.invariants[2] }
        return nil
    }

    func steps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        if state.stops < stops {
            add("the phone stops") { next in
                next.stops += 1
                for number in next.runs.indices where next.runs[number] != .idle {
                    if next.runs[number].hasToken { next.isLost = true }
                    next.runs[number] = .ended
                }
                next.holder = nil
            }
        }
        if state.isEndNoted, !state.isConnectedAgain, state.holder == nil {
            add("the owner connects the bank again") { next in
                next.isConnectedAgain = true
                next.current += 1
                next.kept = next.current
                (next.isRevoked, next.isLost, next.isEndNoted, next.isEndHeard) = (false, false, false, false)
            }
        }
        for number in state.runs.indices { steps += self.steps(of: number, from: state) }
        return steps
    }

    private func steps(of number: Int, from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append(("run \(number) \(name)", next))
        }
        func end(_ next: inout State) {
            next.runs[number] = .ended
            if next.holder == number { next.holder = nil }
        }
        switch state.runs[number] {
        case .idle:
            if state.isEndNoted {
                add("is not made, because the consent has ended") { end(&$0) }
            } else if state.holder == nil || mistake == .locksNothing {
                add("takes the lock and reads the token") {
                    $0.holder = number
                    $0.runs[number] = .reading($0.kept)
                }
            }
        case .reading(let token):
            add("shows the token to the bank") { show(token, number, &$0) }
            add("loses its process") { end(&$0) }
        case .answered(let token):
            add("hands the new token to the phone") { $0.runs[number] = .keeping(token, isAlone: false) }
            add("loses its process, which has the new token") {
                $0.isLost = true
                end(&$0)
            }
        case .keeping(let token, let isAlone):
            add("has its token kept") {
                $0.kept = token
                end(&$0)
            }
            guard !isAlone else { break }
            add("loses its process, while the phone keeps the token") { next in
                if mistake == .cutsKeeping { return end(&next) }
                next.runs[number] = .keeping(token, isAlone: true)
                if mistake == .freesLockEarly { next.holder = nil }
            }
        case .refused:
            add("notes the end of the consent") {
                $0.isEndHeard = true
                $0.isEndNoted = mistake != .notesNoEnd
                end(&$0)
            }
            add("loses its process, which has heard the refusal") { end(&$0) }
        case .ended: break
        }
        return steps
    }

    private func show(_ token: UInt8, _ number: Int, _ next: inout State) {
        if next.isEndHeard { next.wasAskedInVain = true }
        if token < next.current {
            if !next.isLost { next.wasWasted = true }
            next.isRevoked = true
        }
        if next.isRevoked {
            next.runs[number] = .refused
        } else {
            next.current += 1
            next.runs[number] = .answered(next.current)
        }
    }
}

extension ExchangeModel.Run {
    /// The token is nowhere but in memory.
    fileprivate var hasToken: Bool {
        switch self {
        case .answered, .keeping: true
        case .idle, .reading, .refused, .ended: false
        }
    }
}
