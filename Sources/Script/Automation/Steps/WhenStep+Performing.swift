import BankScript

extension WhenStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        let next = otherwise.isEmpty ? following : otherwise[...]
        let branch = try await run.holds(condition, orGoingOnWith: next) ? then : otherwise
        try await run.perform(branch, depth: place.depth + 1, from: place.number)
    }

    public var signs: StepSigns { StepSigns([condition], continues: true) }
}
