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

    /// Warns about a sign-in after which no step says what a refusal looks like: it is then inferred, without the bank's words.
    mutating func checkRefusalOfSignIn() {
        guard let last = script.steps.lastIndex(where: { [$0].allActions.contains(where: \.typesSecretCredential) }),
            !script.interruptions.contains(where: \.endsSignIn)
        else { return }
        // A step with branches may look for the refusal itself.
        let following = script.steps[last...] + script.forEachAccount + script.forEachPeriod
        guard !following.flatMap({ [$0].allActions }).contains(where: \.endsSignIn) else { return }
        report(
            "no-refusal", .warning,
            "no step after the sign-in says what the page shows when the bank refuses it, so a refusal is only guessed",
            hint: "- fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }", at: script.steps[last].mark)
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

extension Interruption {
    fileprivate var endsSignIn: Bool { if case .fail(.bankLoginFailed, _) = response { true } else { false } }
}

extension Action {
    /// True for a step that types a credential which the bank may refuse.
    fileprivate var typesSecretCredential: Bool {
        kind.sent.flatMap(\.typedValues).contains { value in
            switch value {
            case .credential(let name), .character(of: let name): name != "username"
            case .captured, .template, .number: false
            }
        }
    }

    /// True for a step that ends the run when the bank refuses the sign-in.
    fileprivate var endsSignIn: Bool { `as`(FailStep.self)?.code == .bankLoginFailed }
}
