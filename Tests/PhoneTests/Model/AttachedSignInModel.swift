/// A script's author who signs in with their own hands in the browser's window (`script run --attach`), and the script that goes
/// on from there, without its own sign-in (`AttachedSignIn`).
///
/// The run opens the first page, leaves what interrupts it there, and waits. The author signs in and says so, or ends the input,
/// or closes the window. Whatever happened, the script's `finally` is tried, and then the browser and its profile go. A run that
/// is killed has no `finally`: the shell that watches over the browser ends it and removes the profile (`DriverProcess`), and what
/// a stopped machine left is removed by the next run (`PrivateProfile`).
struct AttachedSignInModel: Explorable {
    enum Mistake: Sendable, CaseIterable {
        /// The script's own sign-in stays in the script.
        case signsInItself
        /// The script does not wait after the first page.
        case waitsForNobody
        /// The run waits before its second step, also where that belongs to what interrupts the first page.
        case waitsInsideInterruption
        /// The recorder of pages follows what the author types.
        case recordsTyping
        /// A run whose input has ended closes the browser at once.
        case skipsFinally
        /// A run that failed leaves its browser.
        case leavesBrowserAfterFailure
        /// Nothing watches over the browser of a run that is killed.
        case watchesOverNothing
        /// The profile stays when the browser has ended.
        case keepsProfile
        /// The next run does not look for what was left.
        case ignoresLeftovers
    }

    static let invariants = [
        "the bank counts a sign-in that the author has not made",
        "the script acts while the author signs in",
        "a step for the first page is done behind the sign-in",
        "what the author types is recorded",
        "a run has ended by itself, and did not try to sign out",
        "a run has ended, and its browser goes on",
        "a run has ended, and the profile of its browser is left",
    ]

    let documents: UInt8
    let mistake: Mistake?

    init(documents: UInt8, mistake: Mistake? = nil) {
        self.documents = documents
        self.mistake = mistake
    }

    enum Step: Hashable {
        case starting
        case opening
        /// Something interrupts the first page, and has to be left.
        case interrupted
        case waiting
        /// The script's steps behind the sign-in, with the number of documents that came.
        case fetching(UInt8)
        case leaving
        case closing
        case ended
    }

    struct State: Hashable {
        var step = Step.starting
        var hasBrowser = false
        var hasProfile = false
        /// The shell watches over the browser.
        var isWatched = false
        var isKilled = false
        /// The page shows what interrupts it.
        var isInterrupted = false
        /// The wait is over.
        var hasWaited = false
        var isFailing = false
        /// The author is signed in.
        var isSignedIn = false
        /// The author types.
        var isTyping = false
        /// The tries that the author has made, and those that the bank has counted.
        var tries: UInt8 = 0
        var counted: UInt8 = 0
        var hasTriedToLeave = false
        var isLookedFor = false
        /// The number of the rule that was broken on the way here.
        var broken: Int?
    }

    var start: State { State() }

    func violation(in state: State) -> String? {
        if let broken = state.broken { return Self.invariants[broken] }
        if state.counted > state.tries { return Self.invariants[0] }
        guard state.step == .ended else { return nil }
        if !state.isKilled, !state.hasTriedToLeave { return Self.invariants[4] }
        if state.hasBrowser, !state.isWatched { return Self.invariants[5] }
        let isLeft = state.hasProfile && !state.hasBrowser && (!state.isKilled || state.isLookedFor && !state.isWatched)
        return isLeft ? Self.invariants[6] : nil
    }

    // MARK: Steps

    func steps(from state: State) -> [(name: String, state: State)] {
        runSteps(from: state) + authorSteps(from: state) + endings(of: state)
    }

    private func runSteps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        switch state.step {
        case .starting:
            add("the run starts its browser") { next in
                (next.hasBrowser, next.hasProfile) = (true, true)
                next.isWatched = mistake != .watchesOverNothing
                next.step = .opening
            }
        case .opening:
            for isInterrupted in [false, true] {
                add("the first page opens\(isInterrupted ? ", with an interruption" : "")") { next in
                    next.isInterrupted = isInterrupted
                    next.step = isInterrupted && mistake != .waitsInsideInterruption ? .interrupted : .waiting
                    if mistake == .waitsForNobody { next.step = .fetching(0) }
                }
            }
            add("the first page does not open") { fail(&$0) }
        case .interrupted:
            if state.hasBrowser {
                add("the script leaves the interruption") { next in
                    if next.isTyping { next.broken = 1 }
                    if next.isSignedIn { next.broken = 2 }
                    next.isInterrupted = false
                    next.step = next.hasWaited ? .fetching(0) : .waiting
                }
            }
            add("the script cannot leave the interruption") { fail(&$0) }
        case .waiting: break
        case .fetching(let got):
            if state.hasBrowser, state.isSignedIn, got < documents {
                add("the script fetches a document") { next in
                    if next.isTyping { next.broken = 1 }
                    next.step = .fetching(got + 1)
                }
            }
            if mistake == .signsInItself, got == 0 { add("the script signs in") { $0.counted += 1 } }
            if got < documents {
                add("a step of the script fails") { next in
                    if next.isTyping { next.broken = 1 }
                    fail(&next)
                }
            } else {
                add("the script has everything") { $0.step = .leaving }
            }
        case .leaving:
            for isOut in state.hasBrowser && state.isSignedIn ? [true, false] : [false] {
                add(isOut ? "the script signs out" : "the script cannot sign out") { next in
                    next.hasTriedToLeave = true
                    if isOut { next.isSignedIn = false }
                    next.step = .closing
                }
            }
        case .closing:
            add("the run closes its browser") { next in
                next.step = .ended
                guard !next.isFailing || mistake != .leavesBrowserAfterFailure else {
                    next.isWatched = false
                    return
                }
                (next.hasBrowser, next.isWatched) = (false, false)
                if mistake != .keepsProfile { next.hasProfile = false }
            }
        case .ended: break
        }
        return steps
    }

    private func fail(_ state: inout State) {
        state.isFailing = true
        state.step = .leaving
    }

    // MARK: The author

    private func authorSteps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append(("the author \(name)", next))
        }
        guard state.step != .ended else { return steps }
        if state.hasBrowser, state.step != .starting, state.step != .opening {
            add("closes the window") { ($0.hasBrowser, $0.isTyping) = (false, false) }
        }
        // Once they have said that they are signed in, they leave the window to the script.
        guard state.step == .waiting || mistake == .waitsForNobody && state.step == .fetching(0) else { return steps }
        if state.hasBrowser, !state.isSignedIn, !state.isTyping, state.tries < 2 {
            add("types the password") { next in
                next.isTyping = true
                if mistake == .recordsTyping { next.broken = 3 }
            }
        }
        if state.isTyping {
            for isRight in [true, false] {
                add("sends \(isRight ? "the right" : "a wrong") password") { next in
                    next.isTyping = false
                    next.tries += 1
                    next.isSignedIn = isRight
                    next.counted += isRight ? 0 : 1
                }
            }
            return steps
        }
        if state.step == .waiting {
            add("says that they are signed in") { next in
                next.hasWaited = true
                next.step = next.isInterrupted ? .interrupted : .fetching(0)
            }
            add("ends the input") { next in
                fail(&next)
                if mistake == .skipsFinally { next.step = .closing }
            }
        }
        return steps
    }

    // MARK: Ends from without

    private func endings(of state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        if state.isSignedIn { add("the bank ends a session that is not used") { $0.isSignedIn = false } }
        if state.step != .starting, state.step != .ended {
            add("the run is killed") { next in
                (next.isKilled, next.isTyping) = (true, false)
                next.step = .ended
            }
            add("the run is killed, and the shell with it, as the machine stops") { next in
                (next.isKilled, next.isTyping) = (true, false)
                (next.hasBrowser, next.isWatched) = (false, false)
                next.step = .ended
            }
        }
        if state.step == .ended {
            if state.isWatched {
                add("the shell ends the browser, and removes the profile") { next in
                    (next.hasBrowser, next.isWatched, next.hasProfile) = (false, false, false)
                }
            }
            if !state.isLookedFor {
                add("the next run looks for profiles that are not in use") { next in
                    next.isLookedFor = true
                    // A profile that a shell has is in use.
                    if !next.isWatched, mistake != .ignoresLeftovers { next.hasProfile = false }
                }
            }
        }
        return steps
    }
}
