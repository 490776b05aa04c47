import Messages
import Testing

@testable import Phone

@Suite("Every order of events around one request")
struct RequestModelTests {
    /// The state in which one phone can end.
    struct Ending: Hashable, Comparable, CustomStringConvertible {
        let broker: RequestStatus
        /// This phone's approval is the one that counts.
        let ran: Bool
        let phone: RequestStatus

        init(_ broker: RequestStatus, ran: Bool, _ phone: RequestStatus) {
            (self.broker, self.ran, self.phone) = (broker, ran, phone)
        }

        var description: String {
            "\(broker.rawValue), the phone that \(ran ? "ran" : "did not run") it: \(phone.rawValue)"
        }
        static func < (one: Ending, other: Ending) -> Bool { one.description < other.description }
    }

    /// Every end that is right. FAILED at the broker with a statement on the phone is a delivery that came after the
    /// execution's time; FAILED with EXPIRED is an approval that was given up, and withdrawn or timed out.
    static let endings: Set<Ending> = [
        Ending(.completed, ran: true, .completed), Ending(.completed, ran: false, .expired),
        Ending(.denied, ran: false, .denied), Ending(.denied, ran: false, .expired),
        Ending(.expired, ran: false, .expired), Ending(.failed, ran: true, .completed),
        Ending(.failed, ran: true, .failed), Ending(.failed, ran: true, .expired),
        Ending(.failed, ran: false, .expired),
    ]

    private func endings(_ explorer: StateExplorer<RequestModel>, phones: UInt8) -> Set<Ending> {
        var endings: Set<Ending> = []
        for state in explorer.endStates {
            for (number, phone) in state.stored.prefix(Int(phones)).enumerated() {
                endings.insert(Ending(state.broker, ran: state.counting == UInt8(number), phone.status))
            }
        }
        return endings
    }

    /// The bounds of an exploration: the number of phones, of documents (0 for a statement), and of faults.
    struct Extent: CustomTestStringConvertible {
        let phones: UInt8
        let documents: UInt8
        let faults: UInt8?
        let atLeast: Int

        var testDescription: String {
            "\(phones) phone(s), \(documents) document(s), \(faults.map { "\($0)" } ?? "any number of") fault(s)"
        }
    }

    @Test(
        "breaks no rule, comes to an end, and leaves broker and phones in agreement",
        arguments: [
            Extent(phones: 1, documents: 0, faults: nil, atLeast: 5_000),
            Extent(phones: 2, documents: 0, faults: 0, atLeast: 500),
            Extent(phones: 2, documents: 0, faults: 2, atLeast: 45_000),
            Extent(phones: 1, documents: 1, faults: nil, atLeast: 15_000),
            Extent(phones: 1, documents: 2, faults: 3, atLeast: 50_000),
            Extent(phones: 2, documents: 2, faults: 1, atLeast: 75_000),
        ])
    func everyOrder(extent: Extent) {
        let clock = ContinuousClock()
        let began = clock.now
        let explorer = StateExplorer(
            RequestModel(phones: extent.phones, documents: extent.documents, faults: extent.faults))
        #expect(explorer.violation == nil)
        #expect(explorer.trap == nil)
        #expect(explorer.states.count >= extent.atLeast)
        let unknown = endings(explorer, phones: extent.phones).subtracting(Self.endings)
        #expect(unknown.isEmpty, "\(unknown.sorted())")
        print(
            "explored \(extent.testDescription): \(explorer.states.count) states, \(explorer.stepCount) transitions, "
                + "\(RequestModel.invariants.count) invariants, in \(clock.now - began)")
    }

    /// Wrong tables, each with the rule that it breaks; nil for one that only leaves broker and phones in disagreement.
    static let wrong: [(attempt: Attempt, answer: BrokerAnswer, step: ReconciliationStep, rule: String?)] = [
        (.approve, .unreachable, .takeDecision, "the bank is visited without an approval that counts"),
        (.approve, .unclear, .takeDecision, "the bank is visited without an approval that counts"),
        (.approve, .refused, .takeDecision, "the bank is visited without an approval that counts"),
        (.approve, .stands(.approved), .takeDecision, "the bank is visited without an approval that counts"),
        (.approve, .stands(.executing), .takeDecision, "the bank is visited without an approval that counts"),
        (.approve, .stands(.completed), .takeDecision, "the bank is visited twice"),
        (.approve, .stands(.denied), .takeDecision, "the bank is visited without an approval that counts"),
        (.approve, .stands(.expired), .takeDecision, "the bank is visited without an approval that counts"),
        (.deny, .stands(.executing), .takeDecision, "the bank is visited after a denial that the broker took"),
        (.deny, .unclear, .endDenied, nil), (.deny, .stands(.failed), .endDenied, nil),
        (.denyAgain, .refused, .endDenied, nil), (.withdraw, .stands(.expired), .endFailed, nil),
        (.withdraw, .unreachable, .endFailed, nil), (.endExecuting, .stands(.completed), .failRun, nil),
        (.endExecuting, .unclear, .failRunAndReport, nil), (.endExecuting, .refused, .failRunAndReport, nil),
        (.endExecuting, .unreachable, .completeRun, "a phone has completed the request without a delivery"),
    ]

    @Test("finds what is wrong with a wrong table", arguments: wrong)
    func wrongTables(attempt: Attempt, answer: BrokerAnswer, step: ReconciliationStep, rule: String?) {
        let table: RequestModel.Rule = { tried, answered in
            tried == attempt && answered == answer
                ? ReconciliationTable.Rule(step) : ReconciliationTable.standard[tried, answered]
        }
        var found: [String] = []
        var disagreements: Set<Ending> = []
        for (phones, faults) in [(1, nil), (2, 1)] as [(UInt8, UInt8?)] {
            let explorer = StateExplorer(RequestModel(phones: phones, faults: faults, rule: table))
            if let violation = explorer.violation { found.append(violation.rule) }
            disagreements.formUnion(endings(explorer, phones: phones).subtracting(Self.endings))
        }
        if let rule {
            #expect(found.contains(rule), "\(found)")
        } else {
            #expect(found.isEmpty && !disagreements.isEmpty, "\(found)")
        }
    }

    /// Wrong steps outside the table, each with the rule that it breaks and the bounds within which that is seen.
    static let mistakes: [(RequestModel.Mistake, documents: UInt8, faults: UInt8, rule: String)] = [
        (.brokerKeepsDamagedFiles, 0, 1, "the request has completed without verified bytes"),
        (.brokerKeepsDamagedFiles, 2, 1, "the broker has a document that no phone has signed for"),
        (.brokerEndsEarly, 2, 0, "the request has completed while a document has no end"),
        (.closingLeavesOut, 2, 0, "the request has completed while a document has no end"),
        (.phoneRepeatsRuns, 2, 1, "the bank is visited twice"),
        (.phoneFetchesAgain, 2, 0, "a document is fetched twice"),
    ]

    @Test("finds a wrong step, and the shortest way to it", arguments: mistakes)
    func wrongSteps(mistake: RequestModel.Mistake, documents: UInt8, faults: UInt8, rule: String) throws {
        let explorer = StateExplorer(
            RequestModel(phones: 1, documents: documents, faults: faults, mistake: mistake))
        let violation = try #require(explorer.violation)
        #expect(violation.rule == rule)
        #expect(violation.trace.first == "phone 0 approves" && violation.trace.count < 20, "\(violation)")
    }
}
