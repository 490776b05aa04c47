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

    /// A vault has one right code at a time, so only a person can be asked for another.
    mutating func checkTries(of step: SecondFactorStep, at mark: Mark?) {
        guard SecondFactorStep.triesRange.contains(step.tries) else {
            return report(
                "tries", .error, "a step may send 1 to 3 codes, not \(step.tries)",
                hint: "many banks lock an account after three refused codes", at: mark, about: "tries")
        }
        if step.tries > 1, !step.asksForAnotherCode {
            report(
                "tries", .error, "“tries” goes with a field and a person, who is asked for the next code",
                hint: "from: [person], or leave out “tries”", at: mark, about: "tries")
        }
    }

    mutating func checkPolling(_ poll: RequestStep, at mark: Mark?) {
        for value in poll.postedValues + poll.headValues {
            switch value {
            // An interface with tokens wants one with every request.
            case .credential where poll.headValues.contains(value) && !poll.postedValues.contains(value): break
            case .credential(let name), .character(of: let name):
                report(
                    "polled-secret", .error, "the \(name) is sent again with every request of “polling”",
                    hint: "sign in with a separate request, and poll with the session", at: mark, about: "$\(name)")
            case .captured(let name) where codeNames.contains(name):
                report(
                    "polled-secret", .error,
                    "the one-time code “\(name)” is sent again with every request of “polling”",
                    hint: "send the code with a separate request, and poll with the session", at: mark, about: name)
            case .captured, .template, .number: break
            }
        }
    }

    mutating func checkInterval(_ interval: Duration, at mark: Mark?) {
        guard interval < Self.shortestInterval else { return }
        report(
            "interval", .error, "the pause between two requests is shorter than 500 ms", hint: "every: 2 s", at: mark,
            about: "every")
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
    private var codeNames: Set<String> {
        let passed = script.interruptions.flatMap { interruption -> [Step] in
            if case .pass(let steps) = interruption.response { steps } else { [] }
        }
        return Set(
            (script.stepsForOnePeriod + script.finally + passed).allActions.compactMap { action in
                if case .secondFactor(let step) = action { step.capturedName } else { nil }
            })
    }
}

extension SecondFactorStep {
    fileprivate var asksForAnotherCode: Bool {
        guard case .code = method else { return false }
        return sources.contains(.person)
    }
}

extension RequestStep {
    /// Every value that the request sends, besides those in its address's template.
    var values: [Value] { headValues + postedValues }

    /// The values of the headers, of Basic authentication and of the query.
    package var headValues: [Value] {
        headers.map(\.value) + (basic.map { [$0.user, $0.password] } ?? []) + query.map(\.value)
    }

    /// The values of the body or the form.
    package var postedValues: [Value] { (body?.leaves ?? []) + form.map(\.value) }
}

extension Action {
    /// The names of the credentials that the action types or sends.
    var sentCredentials: [String] {
        (typedValues + signedValues + requests.flatMap(\.values)).compactMap(\.credentialName)
    }

    /// The names of the credentials that the action signs in with: those that accompany a request outside its body do not count.
    var signInCredentials: [String] { (typedValues + requests.flatMap(\.postedValues)).compactMap(\.credentialName) }

    private var typedValues: [Value] {
        switch self {
        case .pressEach(_, let name): [.credential(name)]
        case .submit(let submit): submit.fields.map(\.value)
        case .fill(_, let value), .choose(_, let value): [value]
        case .download(let download):
            if case .submit(let submit) = download.source { submit.fields.map(\.value) } else { [] }
        default: []
        }
    }

    /// The values in a token that the action signs. They leave in it.
    private var signedValues: [Value] { signedToken?.values ?? [] }

    /// The token that the action signs.
    var signedToken: SignedToken? {
        if case .capture(let capture) = self, case .signed(let token) = capture.source { token } else { nil }
    }

    private var requests: [RequestStep] {
        switch self {
        case .request(let request): [request]
        case .waitUntil(let wait): wait.poll.map { [$0] } ?? []
        case .secondFactor(let step): if case .push(_, let poll?, _) = step.method { [poll] } else { [] }
        case .search(let search): if case .json(_, let next, _) = search.pages { [next] } else { [] }
        case .download(let download): if case .request(let request) = download.source { [request] } else { [] }
        default: []
        }
    }
}
