/// A bank whose interface answers as long as the owner's consent lasts, and a phone that keeps the grant and what it knows of the
/// consent's end. Runs visit the bank, and the owner connects it again, in the same program or in another one, at any moment.
///
/// A consent ends on the day that the bank named, or earlier by the bank's word, which a run hears; and with the owner's removal
/// of the bank. A run looks for an end before it begins (`ScriptRunner`), and notes the one that it hears (`ConsentBook`). The
/// phone's page tells the owner (`consentsToTell`).
///
/// Renewals within one consent are ``ExchangeModel``.
struct ConsentModel: Explorable {
    enum Mistake: Sendable, CaseIterable {
        /// A run does not look for an end.
        case runsWithoutLooking
        /// The end that a run hears is not noted.
        case notesNothing
        /// A run that heard of the end of one consent notes it for another one that came meanwhile.
        case notesEndOfAnother
        /// A run notes the day that the bank named for its consent, in place of the one that came meanwhile.
        case notesDayOfAnother
        /// A run that notes the day forgets the end that another run has noted meanwhile.
        case forgetsEndForDay
        /// A connection that brings nothing new forgets the end.
        case forgetsWithoutGrant
        /// The end is kept when the bank is connected again.
        case keepsEndOfBefore
        /// The owner is told again of an end that they know of, when the bank says it, too.
        case tellsAgain
        /// The end that the bank says is not told.
        case tellsDaysOnly
        /// The removal of a bank leaves the grant.
        case removalKeepsGrant
    }

    static let invariants = [
        "the bank is shown a consent whose end the phone knew",
        "the phone takes a new consent for ended",
        "the phone takes an ended consent's day for a new one's",
        "the owner is told twice of one end",
        "the owner was never told of an end",
        "the phone keeps a grant of a bank that the owner has removed",
    ]

    let runs: Int
    let connections: UInt8
    let mistake: Mistake?

    init(runs: Int, connections: UInt8, mistake: Mistake? = nil) {
        self.runs = runs
        self.connections = connections
        self.mistake = mistake
    }

    /// The consents have numbers in their order.
    typealias Consent = UInt8

    enum Run: Hashable {
        case waiting
        /// Has found no end. The phone knew those of these consents.
        case looked(known: Set<Consent>)
        /// Has the grant of this consent. Its end may have been known when the run looked.
        case visiting(Consent, wasKnown: Bool)
        /// The bank has answered, and has named the day again.
        case answered(Consent)
        case refused(Consent)
        case ended
    }

    /// The phone's knowledge of the consent.
    struct Entry: Hashable {
        /// The consent whose day it has.
        var day: Consent
        /// The bank has said that the consent has ended.
        var isNoted = false
        /// The owner was told that it has ended.
        var isTold = false
    }

    enum Connection: Hashable {
        case idle
        /// The bank's new grant is on the way.
        case granted(Consent)
        /// The grant is kept, and the consent is not yet.
        case kept(Consent)
        /// The owner was at the bank, and it gave nothing new.
        case empty
    }

    struct State: Hashable {
        var runs: [Run]
        var grant: Consent? = 0
        var entry: Entry? = Entry(day: 0)
        var connection = Connection.idle
        var connections: UInt8 = 0
        /// The newest consent, and those that the bank takes no more.
        var newest: Consent = 0
        var over: Set<Consent> = []
        /// The consents whose day has come.
        var due: Set<Consent> = []
        /// The consents of whose end the phone knows or has known.
        var known: Set<Consent> = []
        var told: Set<Consent> = []
        var isRemoved = false
        /// A connection lost its process between the new grant and the end that came with it.
        var isTorn = false
        var wasShownAgain = false
        var wasToldTwice = false
    }

    var start: State { State(runs: Array(repeating: .waiting, count: runs)) }

    func violation(in state: State) -> String? {
        if state.wasShownAgain { return Self.invariants[0] }
        if state.wasToldTwice { return Self.invariants[3] }
        if state.isRemoved, state.grant != nil { return Self.invariants[5] }
        guard state.connection == .idle, !state.isTorn, let grant = state.grant, let entry = state.entry else {
            return nil
        }
        if entry.isNoted, !state.over.contains(grant) { return Self.invariants[1] }
        if entry.day != grant { return Self.invariants[2] }
        let isQuiet = state.runs.allSatisfy { $0 == .waiting || $0 == .ended }
        if isQuiet, hasEnded(entry, in: state), entry.isTold, !state.told.contains(grant) { return Self.invariants[4] }
        return nil
    }

    private func hasEnded(_ entry: Entry, in state: State) -> Bool { entry.isNoted || state.due.contains(entry.day) }

    // MARK: Steps

    func steps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        for consent in 0...state.newest where !state.over.contains(consent) {
            add("the bank ends consent \(consent)") { $0.over.insert(consent) }
        }
        for consent in 0...state.newest where !state.due.contains(consent) {
            add("the day of consent \(consent) comes") { next in
                next.due.insert(consent)
                next.over.insert(consent)
                if next.entry?.day == consent { next.known.insert(consent) }
            }
        }
        if let entry = state.entry, hasEnded(entry, in: state), !entry.isTold {
            add("the page tells the owner") { tell(&$0) }
        }
        let isIdle = state.runs.allSatisfy { $0 == .waiting || $0 == .ended }
        if isIdle, state.connection == .idle, !state.isRemoved {
            add("the owner removes the bank") { next in
                next.isRemoved = true
                next.known.formUnion(0...next.newest)
                next.entry = nil
                if mistake != .removalKeepsGrant { next.grant = nil }
            }
        }
        steps += connecting(from: state)
        for number in state.runs.indices { steps += self.steps(of: number, from: state) }
        return steps
    }

    private func tell(_ state: inout State) {
        guard let entry = state.entry else { return }
        state.entry?.isTold = true
        guard mistake != .tellsDaysOnly || !entry.isNoted else { return }
        state.wasToldTwice = !state.told.insert(entry.day).inserted
    }

    // MARK: Connecting

    private func connecting(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        switch state.connection {
        case .idle:
            guard state.connections < connections, !state.isRemoved else { break }
            add("the owner connects the bank, which gives a new grant") { next in
                next.connections += 1
                next.newest += 1
                next.connection = .granted(next.newest)
            }
            add("the owner connects the bank, which gives nothing new") {
                $0.connections += 1
                $0.connection = .empty
            }
        case .granted(let consent):
            add("the grant of consent \(consent) is kept") {
                $0.grant = consent
                $0.connection = .kept(consent)
            }
            add("the connection loses its process, with the grant") { $0.connection = .idle }
        case .kept(let consent):
            add("the end of consent \(consent) is kept") { next in
                next.entry = Entry(
                    day: consent, isNoted: mistake == .keepsEndOfBefore && next.entry?.isNoted == true)
                next.connection = .idle
                next.isTorn = false
                if next.due.contains(consent) { next.known.insert(consent) }
            }
            // The end of before stays, and the owner connects the bank once more.
            add("the connection loses its process, with the end") {
                $0.connection = .idle
                $0.isTorn = true
            }
        case .empty:
            add("the connection ends without a grant") { next in
                next.connection = .idle
                if mistake == .forgetsWithoutGrant, let entry = next.entry, hasEnded(entry, in: next) {
                    next.entry = nil
                }
            }
        }
        return steps
    }

    // MARK: Runs

    private func steps(of number: Int, from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append(("run \(number) \(name)", next))
        }
        switch state.runs[number] {
        case .waiting:
            if let entry = state.entry, hasEnded(entry, in: state), mistake != .runsWithoutLooking {
                add("finds that the consent has ended") { $0.runs[number] = .ended }
            } else {
                add("finds no end") { $0.runs[number] = .looked(known: $0.known) }
            }
        case .looked(let known):
            // A connection has the phone's lock from the bank's answer until the end that came with it is kept.
            guard !state.isLocked else { break }
            guard let grant = state.grant else {
                add("finds no grant") { $0.runs[number] = .ended }
                break
            }
            add("reads the grant") { $0.runs[number] = .visiting(grant, wasKnown: known.contains(grant)) }
        case .visiting(let consent, let wasKnown):
            add("shows its grant to the bank") { next in
                if wasKnown { next.wasShownAgain = true }
                next.runs[number] = next.over.contains(consent) ? .refused(consent) : .answered(consent)
            }
            add("loses its process") { $0.runs[number] = .ended }
        case .answered(let consent):
            add("keeps the day that the bank has named again") { next in
                next.runs[number] = .ended
                guard next.grant == consent || mistake == .notesDayOfAnother, next.entry != nil else { return }
                if next.entry?.day != consent { next.entry = Entry(day: consent) }
                if next.grant == consent { next.isTorn = false }
                if next.due.contains(consent) { next.known.insert(consent) }
                if mistake == .forgetsEndForDay { next.entry?.isNoted = false }
            }
        case .refused(let consent):
            add("notes the end that it has heard") { note(consent, by: number, in: &$0) }
            add("loses its process, which has heard of the end") { $0.runs[number] = .ended }
        case .ended: break
        }
        return steps
    }

    private func note(_ consent: Consent, by number: Int, in state: inout State) {
        state.runs[number] = .ended
        guard mistake != .notesNothing else {
            state.known.insert(consent)
            return
        }
        guard state.grant == consent || mistake == .notesEndOfAnother, var entry = state.entry else { return }
        state.known.insert(consent)
        if mistake == .tellsAgain || entry.day != consent { entry.isTold = false }
        if state.grant == consent { (entry.day, state.isTorn) = (consent, false) }
        entry.isNoted = true
        state.entry = entry
    }
}

extension ConsentModel.State {
    fileprivate var isLocked: Bool {
        switch connection {
        case .granted, .kept: true
        case .idle, .empty: false
        }
    }
}
