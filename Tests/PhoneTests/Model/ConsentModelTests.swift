import Testing

@Suite("Every order of a consent's ends")
struct ConsentModelTests {
    @Test("shows the bank no consent whose end is known, and tells the owner of each end once")
    func everyOrder() {
        let clock = ContinuousClock()
        let began = clock.now
        let explorer = StateExplorer(ConsentModel(runs: 2, connections: 1))
        #expect(explorer.violation == nil)
        #expect(explorer.trap == nil)
        #expect(explorer.states.count > 4_000)
        print(
            "explored a consent with 2 runs and 1 connection: \(explorer.states.count) states, \(explorer.stepCount) transitions, "
                + "\(ConsentModel.invariants.count) invariants, in \(clock.now - began)")
    }

    @Test("is not safe with any of these mistakes", arguments: ConsentModel.Mistake.allCases)
    func mistakes(mistake: ConsentModel.Mistake) {
        let explorer = StateExplorer(ConsentModel(runs: 3, connections: 1, mistake: mistake))
        #expect(explorer.violation != nil, "\(mistake)")
    }
}
