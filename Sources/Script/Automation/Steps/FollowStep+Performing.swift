import BankScript

extension FollowStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        let link = try await run.locateShown(link)
        try await run.turn { try await run.engine.follow(link) }
    }

    public var conduct: StepConduct {
        [.canBeTriedAgain, .bringsPage, .checksStatus, .confirmsSignIn, .showsRightPassword]
    }
    public var signs: StepSigns { StepSigns([.shows(link)]) }
}
