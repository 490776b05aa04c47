import Testing

@Suite("Every order of a program's questions, tokens and messages")
struct ClientModelTests {
    @Test("lets a program do what the owner has allowed it, and nothing in another's name")
    func everyOrder() {
        let clock = ContinuousClock()
        let began = clock.now
        let explorer = StateExplorer(ClientModel())
        #expect(explorer.violation == nil)
        #expect(explorer.trap == nil)
        #expect(explorer.states.count > 3_000)
        print(
            "explored 2 programs elsewhere with 3 questions: \(explorer.states.count) states, "
                + "\(explorer.stepCount) transitions, \(ClientModel.invariants.count) invariants, in \(clock.now - began)"
        )
    }

    @Test("is not safe with any of these mistakes", arguments: ClientModel.Mistake.allCases)
    func mistakes(mistake: ClientModel.Mistake) {
        let explorer = StateExplorer(ClientModel(mistake: mistake))
        #expect(explorer.violation != nil, "\(mistake)")
    }
}
