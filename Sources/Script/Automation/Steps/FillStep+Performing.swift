import BankScript

extension FillStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        if case .character(of: let name) = value { return try await run.fillCharacters(of: name, into: field) }
        try await run.type(value, into: field)
    }

    public var conduct: StepConduct { [.canBeTriedAgain] }
    public var signs: StepSigns { StepSigns([.shows(field)]) }
}
