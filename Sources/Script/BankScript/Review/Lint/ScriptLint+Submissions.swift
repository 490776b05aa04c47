// Checks of how often a script sends what a bank may refuse: each refusal brings the account nearer to being locked.

extension ScriptLint {
    /// The shortest pause between two requests or reloads of a wait.
    static let shortestInterval: Duration = .milliseconds(500)

    mutating func checkSubmissions() {
        guard !BankScript.attemptsRange.contains(script.attempts) else { return }
        report(
            "attempts", .error, "a run may send a credential 1 to 3 times, not \(script.attempts)",
            hint: "many banks lock an account after three refused sign-ins", at: nil, about: "attempts")
    }

    /// Warns about an interruption that signs in: it may come after every step.
    mutating func checkSignIn(in steps: [Step], of interruption: Interruption) {
        let names = steps.allActions.flatMap(\.signInCredentials).filter { $0 != "username" }
        guard let name = names.first else { return }
        report(
            "repeated-sign-in", .warning,
            "the interruption sends the \(name), and a run sends it once, so the run ends there if the script has signed in before",
            hint: "fail: BANK_LOGIN_FAILED, reason: session_expired", at: interruption.mark, about: "$\(name)")
    }

    /// The captures of one-time codes.
    var codeNames: Set<String> {
        let passed = script.interruptions.flatMap { interruption -> [Step] in
            if case .pass(let steps) = interruption.response { steps } else { [] }
        }
        let kinds = (script.stepsForOnePeriod + script.finally + passed).allActions.map(\.kind)
        return Set(kinds.filter { $0.facts.contains(.asksForCode) }.compactMap(\.keptName))
    }
}
