import BankScript

extension ChooseStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        if case .character(of: let name) = option { return try await run.fillCharacters(of: name, into: list) }
        switch try await run.input(option) {
        case .text(let text): try await run.engine.choose(text, in: try await run.locateShown(list))
        case .secret(let secret): try await run.engine.choose(secret: secret, in: try await run.locateShown(list))
        }
        run.ledger?.type(run.items(of: option))
    }

    public var conduct: StepConduct {
        // A second page of the sign-in may ask for characters of another secret.
        option.isCredential
            ? [.canBeTriedAgain, .showsRightPassword] : [.canBeTriedAgain, .confirmsSignIn, .showsRightPassword]
    }
    public var signs: StepSigns { StepSigns([.shows(list)]) }
}
