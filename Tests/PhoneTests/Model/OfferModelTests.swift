import Testing

@Suite("Every order of openings of one offer")
struct OfferModelTests {
    @Test("leaves one request at most, which the offer knows, and brings the documents once")
    func everyOrder() {
        let clock = ContinuousClock()
        let began = clock.now
        let explorer = StateExplorer(OfferModel(openings: 3, leavesRequests: false))
        #expect(explorer.violation == nil)
        #expect(explorer.trap == nil)
        #expect(explorer.states.count > 10_000)
        print(
            "explored an offer, 2 phones and 3 openings: \(explorer.states.count) states, "
                + "\(explorer.stepCount) transitions, 3 invariants, in \(clock.now - began)")
    }

    @Test("is wrong where a request stays whose offer has ended")
    func mistake() throws {
        let violation = try #require(StateExplorer(OfferModel(openings: 1, leavesRequests: true)).violation)
        #expect(violation.rule == "a request waits for the owner that the offer does not know")
        #expect(violation.trace.contains("the owner dismisses it"), "\(violation)")
    }
}
