import Testing

@Suite("Every order of sign-ins at one bank")
struct SignInModelTests {
    @Test("sends no password again after a refusal that the person has not seen")
    func everyOrder() {
        let clock = ContinuousClock()
        let began = clock.now
        let explorer = StateExplorer(SignInModel(requests: 3, stops: 2))
        #expect(explorer.violation == nil)
        #expect(explorer.trap == nil)
        #expect(explorer.states.count > 2_000)
        print(
            "explored the sign-ins of 3 requests with 2 stops: \(explorer.states.count) states, "
                + "\(explorer.stepCount) transitions, 2 invariants, in \(clock.now - began)")
    }

    @Test("is not safe with any of these mistakes", arguments: SignInModel.Mistake.allCases)
    func mistakes(mistake: SignInModel.Mistake) {
        let explorer = StateExplorer(SignInModel(requests: 3, stops: 1, mistake: mistake))
        #expect(explorer.violation != nil, "\(mistake)")
    }
}
