extension BankScript {
    /// Whether some step of the script may be answered by the person's TOTP vault.
    public var asksVault: Bool {
        func asks(_ steps: [Step]) -> Bool {
            steps.contains { step in
                switch step.action {
                case .secondFactor(let pause):
                    if case .code = pause.method { pause.sources.contains(.vault) } else { false }
                case .when(_, let steps, let otherwise): asks(steps) || asks(otherwise)
                default: false
                }
            }
        }
        return asks(steps) || asks(finally)
    }
}
