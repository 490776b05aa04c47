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

    @Test(
        "breaks no rule, comes to an end, and leaves broker and phones in agreement",
        arguments: [
            (phones: 1, faults: nil, atLeast: 5_000), (phones: 2, faults: 0, atLeast: 500),
            (phones: 2, faults: 2, atLeast: 45_000),
        ] as [(phones: UInt8, faults: UInt8?, atLeast: Int)])
    func everyOrder(phones: UInt8, faults: UInt8?, atLeast: Int) {
        let explorer = StateExplorer(RequestModel(phones: phones, faults: faults))
        #expect(explorer.violation == nil)
        #expect(explorer.trap == nil)
        #expect(explorer.states.count >= atLeast)
        let unknown = endings(explorer, phones: phones).subtracting(Self.endings)
        #expect(unknown.isEmpty, "\(unknown.sorted())")
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
}
