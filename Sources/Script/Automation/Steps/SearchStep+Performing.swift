import BankScript

extension SearchStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        try await run.perform(self)
    }

    public var conduct: StepConduct { .provesSignIn }

    public var signs: StepSigns {
        if case .html(let target, let next) = pages { StepSigns([.shows(target), .shows(next)]) } else { StepSigns() }
    }
}
