import Testing

@Suite("Every order of renewals of one token")
struct ExchangeModelTests {
    @Test("shows no spent token to the bank, and loses none that has reached the phone")
    func everyOrder() {
        let clock = ContinuousClock()
        let began = clock.now
        let explorer = StateExplorer(ExchangeModel(runs: 4, stops: 1))
        #expect(explorer.violation == nil)
        #expect(explorer.trap == nil)
        #expect(explorer.states.count > 500)
        print(
            "explored the renewals of 4 runs with 1 stop: \(explorer.states.count) states, \(explorer.stepCount) transitions, "
                + "\(ExchangeModel.invariants.count) invariants, in \(clock.now - began)")
    }

    @Test("is not safe with any of these mistakes", arguments: ExchangeModel.Mistake.allCases)
    func mistakes(mistake: ExchangeModel.Mistake) {
        let explorer = StateExplorer(ExchangeModel(runs: 3, stops: 0, mistake: mistake))
        #expect(explorer.violation != nil, "\(mistake)")
    }
}
