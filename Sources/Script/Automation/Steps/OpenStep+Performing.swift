import BankScript

extension OpenStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        try await run.turn { try await run.engine.open(try run.address(reference)) }
    }

    public var conduct: StepConduct { [.bringsPage, .checksStatus] }
}
