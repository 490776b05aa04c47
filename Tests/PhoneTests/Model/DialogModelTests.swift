import Testing

@Suite("Every way through a bank's dialogs")
struct DialogModelTests {
    @Test("sends no PIN again after a refusal that the owner has not seen")
    func everyOrder() {
        let clock = ContinuousClock()
        let began = clock.now
        let explorer = StateExplorer(DialogModel(requests: 2, stops: 1))
        #expect(explorer.violation == nil)
        #expect(explorer.trap == nil)
        #expect(explorer.states.count > 3_000)
        print(
            "explored the dialogs for 2 requests with 1 stop: \(explorer.states.count) states, "
                + "\(explorer.stepCount) transitions, \(DialogModel.invariants.count) invariants, in \(clock.now - began)"
        )
    }

    @Test("is not safe with any of these mistakes", arguments: DialogModel.Mistake.allCases)
    func mistakes(mistake: DialogModel.Mistake) {
        let explorer = StateExplorer(DialogModel(requests: 2, stops: 1, mistake: mistake))
        #expect(explorer.violation != nil, "\(mistake)")
    }
}
