import BankScript

extension DownloadStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        try await run.perform(self)
    }

    public var conduct: StepConduct { StepConduct.provesSignIn.union(.canBeTriedAgain) }

    public var signs: StepSigns {
        switch source {
        case .control(let control): StepSigns([.shows(control)])
        case .submit(let submit): StepSigns([.shows(submit.form)])
        case .open, .request, .encoded, .printedPage: StepSigns()
        }
    }
}
