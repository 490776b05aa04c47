import Testing

@Suite("Every order of an author's own sign-in")
struct AttachedSignInModelTests {
    @Test("leaves the sign-in to the author, and nothing behind")
    func everyOrder() {
        let clock = ContinuousClock()
        let began = clock.now
        let explorer = StateExplorer(AttachedSignInModel(documents: 2))
        #expect(explorer.violation == nil)
        #expect(explorer.trap == nil)
        #expect(explorer.states.count > 500)
        print(
            "explored an author's own sign-in with 2 documents: \(explorer.states.count) states, \(explorer.stepCount) transitions, "
                + "\(AttachedSignInModel.invariants.count) invariants, in \(clock.now - began)")
    }

    @Test("is not safe with any of these mistakes", arguments: AttachedSignInModel.Mistake.allCases)
    func mistakes(mistake: AttachedSignInModel.Mistake) {
        let explorer = StateExplorer(AttachedSignInModel(documents: 2, mistake: mistake))
        #expect(explorer.violation != nil, "\(mistake)")
    }
}
