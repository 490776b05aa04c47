import Messages
import PhoneStore
import Testing

@testable import Phone

/// The whole table, spelled out a second time in words: a change in one place alone fails.
@Suite("The reconciliation table")
struct ReconciliationTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let answer: BrokerAnswer
        /// The steps after each attempt, in the order of ``Attempt``.
        let steps: [String]
        /// The same while an approval is unanswered.
        let stepsIfUnanswered: [String]

        init(_ answer: BrokerAnswer, _ steps: String, ifUnanswered: String? = nil) {
            self.answer = answer
            self.steps = steps.split(separator: " ").map(String.init)
            stepsIfUnanswered = (ifUnanswered ?? steps).split(separator: " ").map(String.init)
        }

        var testDescription: String { "\(answer)" }
    }

    static let rows: [Row] = [
        // approve, deny, denyAgain, withdraw, endApproved, endExecuting
        Row(.accepted, "takeDecision takeDecision endDenied endFailed failRun failRun"),
        Row(
            .stands(.pendingApproval),
            "release release release releaseUnanswered failRunAndReport failRunAndReport"),
        Row(
            .stands(.approved),
            "endOtherDevice endOtherDevice endOtherDevice raise failRunAndReport failRunAndReport",
            ifUnanswered: "takeDecision withdraw withdraw raise failRunAndReport failRunAndReport"),
        Row(
            .stands(.executing),
            "endOtherDevice endOtherDevice endOtherDevice raise failRunAndReport failRunAndReport",
            ifUnanswered: "withdraw withdraw withdraw raise failRunAndReport failRunAndReport"),
        Row(
            .stands(.completed),
            "endOtherDevice endOtherDevice endOtherDevice endOtherDevice failRunAndReport completeRun"),
        Row(
            .stands(.failed),
            "endOtherDevice endOtherDevice endOtherDevice endFailed failRunAndReport failRunAndReport",
            ifUnanswered: "endFailed endFailed endFailed endFailed failRunAndReport failRunAndReport"),
        Row(
            .stands(.denied), "endDenied takeDecision endDenied endDenied failRunAndReport failRunAndReport"),
        Row(.stands(.expired), "endExpired endExpired endExpired endExpired failRunAndReport failRunAndReport"),
        Row(.conflict, "release release endDenied releaseUnanswered failRunAndReport failRunAndReport"),
        Row(.otherDevice, "release release endDenied endOtherDevice failRunAndReport failRunAndReport"),
        Row(.unreachable, "release release raise raise wait wait"),
        Row(.unclear, "wait wait raise raise wait wait"),
        Row(.refused, "release release raise raise failRunAndReport wait"),
    ]

    @Test("names the step after every attempt", arguments: rows)
    func steps(row: Row) throws {
        #expect(row.steps.count == Attempt.allCases.count && row.stepsIfUnanswered.count == Attempt.allCases.count)
        for (index, attempt) in Attempt.allCases.enumerated() {
            let rule = try #require(ReconciliationTable.standard[attempt, row.answer])
            #expect("\(rule.step)" == row.steps[index], "\(attempt)")
            #expect("\(rule.stepIfUnanswered)" == row.stepsIfUnanswered[index], "\(attempt), unanswered")
        }
    }

    @Test("has a rule for every attempt and every answer of the broker")
    func total() {
        #expect(Set(Self.rows.map(\.answer)) == Set(BrokerAnswer.all))
        for attempt in Attempt.allCases {
            for answer in BrokerAnswer.all {
                #expect(ReconciliationTable.standard[attempt, answer] != nil, "\(attempt), \(answer)")
            }
        }
    }

    @Test("ends only runs after the failure of a run, and only undecided requests after a decision")
    func kinds() throws {
        let ofRuns: Set<ReconciliationStep> = [.completeRun, .failRun, .failRunAndReport, .wait]
        for attempt in Attempt.allCases {
            let isRun = [.endApproved, .endExecuting].contains(attempt)
            for answer in BrokerAnswer.all {
                let rule = try #require(ReconciliationTable.standard[attempt, answer])
                for step in [rule.step, rule.stepIfUnanswered] {
                    #expect(step == .wait || ofRuns.contains(step) == isRun, "\(attempt), \(answer)")
                    #expect(step != .takeDecision || [.approve, .deny].contains(attempt))
                }
            }
        }
    }

    static let refusals: [(PhoneError, BrokerAnswer)] = [
        (PhoneError(.brokerConflict, "", status: 409, requestStatus: .executing), .stands(.executing)),
        (PhoneError(.brokerConflict, "", status: 409), .conflict),
        (PhoneError(.brokerConflict, "", status: 404), .conflict),
        (PhoneError(.brokerConflict, "", status: 403, brokerCode: .otherDevice), .otherDevice),
        (PhoneError(.expired, "", status: 408, requestStatus: .expired), .stands(.expired)),
        (PhoneError(.brokerUnreachable, ""), .unreachable), (PhoneError(.brokerMalformed, "", status: 500), .unclear),
        (PhoneError(.brokerRefused, "", status: 401), .refused),
        (PhoneError(.brokerRefused, "", status: 429), .refused),
        (PhoneError(.factorMissing, "", status: 403), .refused), (PhoneError(.pinMismatch, ""), .refused),
    ]

    @Test("reads the broker's answer out of its refusal", arguments: refusals)
    func answers(refusal: PhoneError, answer: BrokerAnswer) {
        #expect(BrokerAnswer(refusal: refusal) == answer)
        #expect(BrokerAnswer(refusal: nil) == .accepted)
    }
}
