import Automation
import BankScript
import Messages
import Phone

@testable import PhoneStore

/// A bank that speaks FinTS, and a phone that visits it for several approved requests, and that stops at any moment.
///
/// ``SignInModel`` has one password in a visit. Here a visit has several messages with the PIN, in two dialogs and with a TAN,
/// and each of them can get lost before or after the bank has read it. The source tells of a visit's end what was sent, what was
/// answered and what was taken (`FinTSSource`), and the verdict about the PIN is the product's own: `SignInVerdict`.
///
/// The bank's PIN changes between visits only: a visit takes seconds.
struct DialogModel: Explorable {
    enum Mistake: Sendable, CaseIterable {
        /// The dialog is left with one more message, although the bank has refused the PIN in it.
        case leavesAfterRefusal
        /// A message whose answer did not come is sent again.
        case repeatsMessages
        /// A PIN whose answer did not come says nothing.
        case forgetsUnansweredPINs
        /// The answer to the parameters, for which nothing signs in, counts as a sign-in.
        case takesParametersForSignIn
        /// A refusal without a reason counts as one of what the phone kept from an earlier visit.
        case takesGeneralRefusalForStale
        /// A refusal without a reason says nothing about the PIN.
        case trustsGeneralRefusals
        /// The start of the phone forgets the sign-ins that were under way.
        case forgetsAtStart
        /// The refused TANs of each visit are counted anew.
        case forgetsTANs
        /// A visit that came to its end does not end the hold.
        case keepsHolds
    }

    static let invariants = [
        "the bank counts a wrong PIN, and the owner has not seen the one before",
        "the bank has counted a wrong PIN, and the phone holds nothing",
        "the bank has refused two TANs, and the phone holds nothing",
        "a visit came to its end, and the phone still holds the bank",
    ]

    let requests: Int
    let stops: UInt8
    let mistake: Mistake?

    init(requests: Int, stops: UInt8, mistake: Mistake? = nil) {
        self.requests = requests
        self.stops = stops
        self.mistake = mistake
    }

    enum Request: Hashable {
        case waiting
        /// Approved, with the hold that the owner confirmed, and with the number of wrong PINs that they knew of.
        case approved(confirmed: UInt8?, known: UInt8)
        case ended
    }

    enum Message: Hashable {
        /// Without the PIN.
        case parameters
        /// Asks for the list of TAN methods in a separate dialog.
        case synchronise
        case signIn
        case tan
        case job
        /// The end of the dialog, whose answer does not matter.
        case leave
    }

    /// The way in which a visit ended.
    enum End: Hashable {
        case completed
        case network
        case maintenance
        case wrongPIN
        /// The bank refused, and did not say what.
        case refused
        /// It refused a request behind the sign-in.
        case refusedJob
        case wrongTAN
        case noTAN
    }

    struct Visit: Hashable {
        let request: Int
        /// The wrong PINs that the owner knew of when they approved.
        let known: UInt8
        var next: Message
        /// The way in is that of an earlier visit.
        var isKnown: Bool
        var hasSent = false
        var isUnanswered = false
        var isSignedIn = false
        /// The dialog under way can be left with a message.
        var isOpen = false
        var end: End?
    }

    struct State: Hashable {
        var requests: [Request]
        var visit: Visit?
        /// The phone has the bank's parameters and the owner's TAN method.
        var knowsBank = false
        var hold: UInt8?
        var lastHold: UInt8 = 0
        var isUnderWay = false
        var isStarted = true
        var stops: UInt8 = 0
        /// The refused TANs in a row, as the phone counts them.
        var tans: UInt8 = 0
        /// The same, by the answers that came.
        var refusedTANs: UInt8 = 0
        var isRight = true
        /// The bank's own count of wrong PINs since a right one, or since the owner stored another.
        var wrongPINs: UInt8 = 0
        var hasChanged = false
        var hasStored = false
        var wasCountedUnseen = false
        var isHeldAfterCompletion = false
    }

    var start: State { State(requests: Array(repeating: .waiting, count: requests)) }

    func violation(in state: State) -> String? {
        if state.wasCountedUnseen { return Self.invariants[0] }
        guard state.isStarted, !state.isUnderWay, state.visit == nil else { return nil }
        if state.wrongPINs > 0, state.hold == nil { return Self.invariants[1] }
        if state.refusedTANs > 1, state.hold == nil { return Self.invariants[2] }
        return state.isHeldAfterCompletion ? Self.invariants[3] : nil
    }

    // MARK: Steps

    func steps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        guard state.isStarted else {
            add("the phone starts") { next in
                next.isStarted = true
                if next.isUnderWay, mistake != .forgetsAtStart { hold(&next) }
                next.isUnderWay = false
            }
            return steps
        }
        if state.stops < stops {
            add("the phone stops") { next in
                next.stops += 1
                next.isStarted = false
                next.visit = nil
                next.requests = next.requests.map { $0 == .waiting ? .waiting : .ended }
            }
        }
        if let visit = state.visit { return steps + self.steps(of: visit, from: state) }
        if !state.hasChanged {
            add("the owner changes the PIN at the bank") {
                $0.hasChanged = true
                $0.isRight = false
            }
        }
        if !state.hasStored {
            for isRight in [true, false] {
                add("the owner stores another PIN, which is \(isRight ? "right" : "wrong")") { next in
                    next.hasStored = true
                    next.isRight = isRight
                    (next.hold, next.wrongPINs, next.tans, next.refusedTANs) = (nil, 0, 0, 0)
                }
            }
        }
        for number in state.requests.indices { steps += self.steps(of: number, from: state) }
        return steps
    }

    private func steps(of number: Int, from state: State) -> [(name: String, state: State)] {
        var next = state
        switch state.requests[number] {
        case .waiting:
            next.requests[number] = .approved(
                confirmed: state.hold, known: state.hold == nil ? 0 : state.wrongPINs)
            let name = state.hold == nil ? "is approved" : "is approved, and another try is confirmed"
            return [("request \(number) \(name)", next)]
        case .approved(let confirmed, let known):
            guard state.hold == nil || state.hold == confirmed else {
                next.requests[number] = .ended
                return [("request \(number) is not run because of a hold", next)]
            }
            next.requests[number] = .ended
            next.isUnderWay = true
            next.visit = Visit(
                request: number, known: known, next: state.knowsBank ? .signIn : .parameters, isKnown: state.knowsBank)
            return [("the visit for request \(number) begins", next)]
        case .ended: return []
        }
    }

    private func steps(of visit: Visit, from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        if let end = visit.end, visit.next != .leave {
            var next = state
            next.visit = nil
            note(end, of: visit, in: &next)
            steps.append(("the phone notes the end of the visit", next))
        } else {
            steps += exchanges(of: visit, from: state)
        }
        var lost = state
        lost.visit = nil
        lost.isUnderWay = false
        hold(&lost)
        steps.append(("the visit loses its process, which has the PIN", lost))
        return steps
    }

    /// The phone notes a verdict, and forgets that a sign-in is under way.
    private func note(_ end: End, of visit: Visit, in state: inout State) {
        state.isUnderWay = false
        // After a failure the bank is asked for its parameters again.
        state.knowsBank = end == .completed
        switch verdict(end, of: visit) {
        case .accepted:
            if mistake != .keepsHolds { state.hold = nil }
            (state.tans, state.refusedTANs) = (0, 0)
        case .refused: hold(&state)
        case .wrongCode(let count):
            state.tans = (mistake == .forgetsTANs ? 0 : state.tans) + UInt8(count)
            if state.tans >= PhoneDatabase.wrongCodeLimit { hold(&state) }
        case nil: break
        }
        state.isHeldAfterCompletion = end == .completed && state.hold != nil
    }

    private func hold(_ state: inout State) {
        state.lastHold += 1
        state.hold = state.lastHold
    }

    /// Returns the verdict on a failure as the source tells of it.
    private func verdict(_ end: End, of visit: Visit) -> SignInVerdict? {
        guard let (code, reason) = end.failure else { return .accepted }
        var failure = RunFailure(code, reason: reason, message: "")
        failure.isSignInUnconfirmed = visit.hasSent && !visit.isSignedIn
        failure.refusedCodes = end == .wrongTAN ? 1 : 0
        failure.isLastCodeRefused = end == .wrongTAN
        let isUnanswered = visit.isUnanswered && mistake != .forgetsUnansweredPINs
        let isUnexplained = end == .refused && mistake != .trustsGeneralRefusals
        if failure.isSignInUnconfirmed, isUnanswered || isUnexplained {
            failure.isSignInUnanswered = isUnanswered
            (failure.code, failure.reason) = (.bankLoginFailed, .signInNotConfirmed)
        }
        return SignInVerdict(failure)
    }
}

extension DialogModel.End {
    /// The code and the reason that the source gives; nil for a visit that came to its end.
    fileprivate var failure: (ErrorCode, FailureReason?)? {
        switch self {
        case .completed: nil
        case .network: (.navigationFailed, .networkFailed)
        case .maintenance: (.navigationFailed, .maintenance)
        case .wrongPIN: (.bankLoginFailed, .wrongCredentials)
        case .refused, .refusedJob: (.navigationFailed, .refusedByBank)
        case .wrongTAN: (.bankLoginFailed, .wrongCode)
        case .noTAN: (.bankSecondFactorTimeout, .noAnswer)
        }
    }
}
