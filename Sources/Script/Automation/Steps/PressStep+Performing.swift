import BankScript

extension PressStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        let button = try await run.locateShown(button)
        try await run.turn(submitting: true) { try await run.engine.press(button) }
    }

    public var conduct: StepConduct { [.canBeTriedAgain, .bringsPage, .checksStatus] }

    public var signs: StepSigns {
        guard case .button(let name) = button.target else { return StepSigns([.shows(button)]) }
        // A link of that name will do.
        var control = button
        control.target = .control(name)
        return StepSigns([.shows(button), .shows(control)])
    }
}
