import BankScript

extension SubmitStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        let form = try await run.locateShown(form)
        let fields = try await run.typed(fields)
        try await run.turn(submitting: true) { try await run.engine.submit(form: form, with: fields) }
    }

    public var conduct: StepConduct { [.canBeTriedAgain, .bringsPage, .checksStatus] }
    public var signs: StepSigns { StepSigns([.shows(form)]) }
}
