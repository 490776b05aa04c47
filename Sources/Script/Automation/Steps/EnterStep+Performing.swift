import BankScript

extension EnterStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        let frame = try await run.locateShown(frame)
        try await run.turn { try await run.engine.enter(frame: frame) }
    }

    public var conduct: StepConduct { [.canBeTriedAgain, .bringsPage, .confirmsSignIn, .showsRightPassword] }
    public var signs: StepSigns { StepSigns([.shows(frame)]) }
}
