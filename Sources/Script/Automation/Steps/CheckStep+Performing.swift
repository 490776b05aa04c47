import BankScript

extension CheckStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        try await run.engine.check(try await run.locateShown(box), isOn)
    }

    public var conduct: StepConduct { [.canBeTriedAgain] }
    public var signs: StepSigns { StepSigns([.shows(box)]) }
}
