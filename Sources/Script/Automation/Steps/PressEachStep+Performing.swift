import BankScript

extension PressEachStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        try await run.press(key, forEachCharacterOf: credential)
    }

    public var conduct: StepConduct { [.bringsPage] }
}
