import Messages
import PhoneStore

/// A message of the phone to the broker about a request.
enum Attempt: Sendable, Hashable, CaseIterable {
    /// The person's approval or denial.
    case approve, deny
    /// A denial that was sent before, and that the broker may not have received.
    case denyAgain
    /// The withdrawal of an approval: it will not be carried out.
    case withdraw
    /// The failure of a run that was cut short before it began, or while it was executing.
    case endApproved, endExecuting
}

/// The broker's answer to a message, or the state of the request that it names.
enum BrokerAnswer: Sendable, Hashable {
    case accepted
    case stands(RequestStatus)
    /// The request does not allow it, and the broker does not say where the request stands.
    case conflict
    /// Another device runs the request.
    case otherDevice
    /// The broker cannot have heard of it.
    case unreachable
    /// The broker may have heard of it: the answer got lost or cannot be read.
    case unclear
    /// Token, signature, rate or certificate: this says nothing about the request.
    case refused

    /// - Parameter refusal: why the broker did not accept the attempt; nil when it did.
    init(refusal: PhoneError?) {
        guard let refusal else {
            self = .accepted
            return
        }
        switch refusal.code {
        case .brokerConflict, .expired:
            if let status = refusal.requestStatus {
                self = .stands(status)
            } else {
                self = refusal.brokerCode == .otherDevice ? .otherDevice : .conflict
            }
        case .brokerUnreachable: self = .unreachable
        case .brokerMalformed: self = .unclear
        default: self = .refused
        }
    }

    /// Every answer. The client reads `SENT`, which no phone has seen, as no state at all.
    static let all: [BrokerAnswer] =
        [.accepted] + RequestStatus.allCases.filter { $0 != .sent }.map(BrokerAnswer.stands)
        + [.conflict, .otherDevice, .unreachable, .unclear, .refused]
}

/// The phone's next step after an answer.
enum ReconciliationStep: Sendable, Hashable {
    /// The decision counts.
    case takeDecision
    /// The request ends here as `DENIED`, as `EXPIRED`, or as `EXPIRED` because another device carries it on.
    case endDenied, endExpired, endOtherDevice
    /// The request ends here as `FAILED`.
    case endFailed
    /// The approval is withdrawn: the broker has it, and no device runs it.
    case withdraw
    /// The request waits for a decision again.
    case release
    /// The request waits for a decision again; an approval of it may still reach the broker.
    case releaseUnanswered
    /// The run ends as `COMPLETED`: the broker has the statement.
    case completeRun
    /// The run ends as `FAILED`, and the broker knows that.
    case failRun
    /// The run ends as `FAILED`, and the next refresh reports it.
    case failRunAndReport
    /// Nothing changes until the next refresh asks again.
    case wait
    /// Nothing changes, and the refusal is thrown.
    case raise
}

/// The transitions of a request after an attempt, for each answer of the broker.
struct ReconciliationTable: Sendable {
    /// One field of the table. The step can depend on an approval that this phone gave up on, whose answer got lost and
    /// which may have reached the broker since.
    struct Rule: Sendable, Hashable {
        let step: ReconciliationStep
        let stepIfUnanswered: ReconciliationStep

        init(_ step: ReconciliationStep, ifUnanswered: ReconciliationStep? = nil) {
            self.step = step
            stepIfUnanswered = ifUnanswered ?? step
        }
    }

    private let rules: [BrokerAnswer: [Attempt: Rule]]

    subscript(_ attempt: Attempt, _ answer: BrokerAnswer) -> Rule? { rules[answer]?[attempt] }

    // swift-format-ignore
    static let standard: ReconciliationTable = {
        let take = Rule(.takeDecision), free = Rule(.release), wait = Rule(.wait), raise = Rule(.raise)
        let denied = Rule(.endDenied), expired = Rule(.endExpired), failed = Rule(.endFailed)
        let other = Rule(.endOtherDevice), lost = Rule(.releaseUnanswered)
        let done = Rule(.completeRun), ended = Rule(.failRun), owed = Rule(.failRunAndReport)
        // An approval of this phone's own that came late is withdrawn, or counts when the person has approved again.
        let late = Rule(.endOtherDevice, ifUnanswered: .withdraw)
        let twice = Rule(.endOtherDevice, ifUnanswered: .takeDecision)
        let dead = Rule(.endOtherDevice, ifUnanswered: .endFailed)
        return ReconciliationTable([
            //                           approve  deny     denyAgain withdraw endApproved endExecuting
            (.accepted,                 [take,    take,    denied,   failed,  ended,      ended]),
            (.stands(.pendingApproval), [free,    free,    free,     lost,    owed,       owed]),
            (.stands(.approved),        [twice,   late,    late,     raise,   owed,       owed]),
            (.stands(.executing),       [late,    late,    late,     raise,   owed,       owed]),
            (.stands(.completed),       [other,   other,   other,    other,   owed,       done]),
            (.stands(.failed),          [dead,    dead,    dead,     failed,  owed,       owed]),
            (.stands(.denied),          [denied,  take,    denied,   denied,  owed,       owed]),
            (.stands(.expired),         [expired, expired, expired,  expired, owed,       owed]),
            (.conflict,                 [free,    free,    denied,   lost,    owed,       owed]),
            (.otherDevice,              [free,    free,    denied,   other,   owed,       owed]),
            (.unreachable,              [free,    free,    raise,    raise,   wait,       wait]),
            (.unclear,                  [wait,    wait,    raise,    raise,   wait,       wait]),
            (.refused,                  [free,    free,    raise,    raise,   owed,       wait]),
        ])
    }()

    private init(_ rows: [(BrokerAnswer, [Rule])]) {
        rules = Dictionary(
            uniqueKeysWithValues: rows.map { answer, rules in
                (answer, Dictionary(uniqueKeysWithValues: zip(Attempt.allCases, rules)))
            })
    }
}
