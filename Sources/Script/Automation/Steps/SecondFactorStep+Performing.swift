import BankScript

extension SecondFactorStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        try await run.perform(self)
    }

    public var conduct: StepConduct {
        // The choice of a method may come before the password is looked at.
        if case .choice = method { [.bringsPage] } else { [.bringsPage, .confirmsSignIn] }
    }

    public var signs: StepSigns {
        if case .code(let field, _) = method { StepSigns([.shows(field)]) } else { StepSigns() }
    }
}
