import BankScript
import Clocks
import Encodings
import Foundation
import Secrets
import Selectors

extension ScriptExecution {
    /// The most answers in a row that the code's field cannot hold. After them, the field itself is likely the wrong one.
    private static let mostUnfitAnswers = 3

    func perform(_ step: SecondFactorStep) async throws {
        let deadline = services.clock.now.addingTimeInterval(step.limit.seconds)
        do {
            try await withTimeLimit(step.limit, on: services.clock) { [self] in
                switch step.method {
                case .code(let field, let picture):
                    try await giveCodes(step, field: field, picture: picture, deadline: deadline)
                case .push(let condition, let poll, let interval):
                    try await awaitPush(step, until: condition, polling: poll, every: interval, deadline: deadline)
                case .choice(let choices):
                    try await choose(step, among: choices, deadline: deadline)
                case .captured(let name):
                    try await keepCode(step, as: name, deadline: deadline)
                }
            }
        } catch is TimeLimitExceeded {
            throw RunFailure(
                .bankSecondFactorTimeout, reason: .timeout,
                message: "the second factor was not given within \(step.limit.inWords)")
        }
    }

    /// Gives a code, and another one while the bank asks again, and the script and the bank allow it.
    private func giveCodes(
        _ step: SecondFactorStep, field: Locator, picture: Locator?, deadline: Date
    ) async throws {
        guard refusedCodes.count == 0 || codesLeft > 0 else {
            throw RunFailure(
                .bankLoginFailed, reason: .attemptsUsed,
                message:
                    "the bank refused \(codesRefusedBefore + refusedCodes.count) one-time codes in a row, and no "
                    + "other is sent, because it could lock the account; sign in at the bank's own page")
        }
        try await giveCode(step, field: field, picture: picture, deadline: deadline)
        for left in (1..<max(1, step.tries)).reversed() {
            guard try await asks(for: field) else { return noteAnswer(isRefusal: false) }
            noteAnswer(isRefusal: true)
            guard let left = try await tries(left: left) else { return }
            try await giveCode(step, field: field, picture: picture, deadline: deadline, left: left)
        }
        noteAnswer(isRefusal: (try? await asks(for: field)) == true)
    }

    /// The number of further refused codes in a row that is safe, with those of earlier runs counted.
    private var codesLeft: Int {
        SecondFactorStep.triesRange.upperBound - codesRefusedBefore - refusedCodes.count
    }

    /// The number of codes that the bank refused in earlier runs, if no right one came since.
    private var codesRefusedBefore: Int { refusedCodes.followRightOne ? 0 : services.codesRefusedBefore }

    /// Counts a refused code. The run's failure carries the count, whatever ends the run.
    private func noteAnswer(isRefusal: Bool) {
        refusedCodes.count += isRefusal ? 1 : 0
        refusedCodes.includeLast = isRefusal
        isCodeUnconfirmed = !isRefusal
    }

    /// Returns how many more codes may be sent; nil when none may, when the page is one that ends the run, or when the bank
    /// says that one try is left. That one belongs to the person, at the bank's own page.
    ///
    /// - Parameter allowed: the number that the script allows.
    private func tries(left allowed: Int) async throws -> Int? {
        let allowed = min(allowed, codesLeft)
        guard allowed > 0 else { return nil }
        if case .fail = try await pending()?.response { return nil }
        guard let page = await engine.page() else { return allowed }
        guard let said = page.headline.flatMap(RunFailure.triesLeft) ?? RunFailure.triesLeft(in: page.text) else {
            return allowed
        }
        return said > 1 ? min(allowed, said) : nil
    }

    /// - Parameter left: the number of tries that are left, by the script and by the bank; nil for the first code.
    private func giveCode(
        _ step: SecondFactorStep, field: Locator, picture: Locator?, deadline: Date, left: Int? = nil
    ) async throws {
        let field = try await locateShown(field)
        // Ask for a code only when there is a field for it.
        let parts = try await watch { try await codeFields(field) } ?? []
        if parts.isEmpty { _ = try await engine.text(of: field) }
        let code = try await fittingCode(
            step, field: field, parts: parts.count, picture: picture, deadline: deadline, left: left)
        try await watch(code, as: [.code(step)])
        if parts.isEmpty {
            try await engine.fill(field, with: .secret(code))
        } else {
            try await fill(parts, of: field, with: code)
        }
        ledger?.type([.code(step)])
        try await send(step, field: parts.last ?? field)
    }

    /// Asks the person until the field can hold the answer. What it cannot hold goes nowhere, so it uses up no try.
    ///
    /// - Parameter parts: the number of fields that hold one character of the code each; 0 for one field.
    private func fittingCode(
        _ step: SecondFactorStep, field: Locator, parts: Int, picture: Locator?, deadline: Date, left: Int?
    ) async throws -> Secret {
        var rule: String?
        var first: Secret?
        var isRepeated = true
        for _ in 0..<Self.mostUnfitAnswers {
            let code = try await code(step, picture: picture, deadline: deadline, left: left, correcting: rule)
            hold(code)
            rule =
                parts == 0
                ? try await engine.rule(of: field, brokenBy: code)
                : code.revealed().count == parts ? nil : "must have \(parts) characters"
            // Without the person, filling the field says what is wrong.
            guard rule != nil, step.sources.contains(.person) else { return code }
            if let first, !code.isEqual(to: first) { isRepeated = false }
            first = first ?? code
        }
        // One answer again and again comes from a file, and tells nothing about the field.
        guard !isRepeated else {
            throw RunFailure(
                .bankSecondFactorTimeout, reason: .noAnswer,
                message:
                    "the code does not fit \(field), and was not sent: a code there \(rule ?? "must have another format")"
            )
        }
        throw RunFailure(
            .navigationFailed, reason: .layoutChanged,
            message:
                "none of \(Self.mostUnfitAnswers) answers fits \(field), and none was sent: a code there "
                + (rule ?? "must have another format"))
    }

    private func keepCode(_ step: SecondFactorStep, as name: String, deadline: Date) async throws {
        let code = try await code(step, picture: nil, deadline: deadline)
        hold(code)
        captures[name] = .secret(code)
        codes[name] = .code(step)
    }

    /// - Parameter rule: what the code's field wants instead of the answer before; nil for a first answer.
    private func code(
        _ step: SecondFactorStep, picture: Locator?, deadline: Date, left: Int? = nil, correcting rule: String? = nil
    ) async throws -> Secret {
        // The vault's code was right by its own clock; another one of it would be refused as well.
        var silent: [String] = []
        for source in step.sources where left == nil && rule == nil || source == .person {
            switch source {
            case .vault:
                let challenge = SecondFactorChallenge(
                    bankID: script.id, bankName: script.name, token: step.token, deadline: deadline)
                guard let code = try await services.secondFactor.code(for: challenge) else { continue }
                services.tell(.secondFactor(.answeredByVault))
                return code
            case .person:
                var shown: Prompt.Picture?
                if let picture { shown = try await engine.picture(try await locate(picture)) }
                return try await ask(
                    .code(picture: shown), step, deadline: deadline, left: left, correcting: rule)
            default:
                // One that hangs leaves the sources behind it half of the time.
                let left = deadline.timeIntervalSince(services.clock.now)
                let challenge = SecondFactorChallenge(
                    bankID: script.id, bankName: script.name, token: step.token,
                    deadline: source == step.sources.last ? deadline : deadline.addingTimeInterval(-left / 2))
                if let code = try await answer(of: source, to: challenge) { return code }
                silent.append(source.rawValue)
            }
        }
        let asked = silent.isEmpty ? "" : "no code came from \(silent.joined(separator: ", ")), and "
        let vault = step.sources.contains(.vault) || silent.isEmpty
        throw RunFailure(
            .bankSecondFactorTimeout, reason: .noAnswer,
            message: "the bank's question has no answer: " + asked
                + (vault ? "no token of the vault is linked to \(script.name); link one" : "no other source is asked")
                + ", or let the script ask the person")
    }

    /// Asks a provider that was plugged in. One that fails, or that does not answer in time, is named and passed over:
    /// the sources behind it are asked all the same.
    private func answer(
        of source: SecondFactorStep.Source, to challenge: SecondFactorChallenge
    ) async throws -> Secret? {
        guard let provider = services.codeSources[source] else {
            services.tell(.secondFactor(.unanswered(source, "it is not plugged in")))
            return nil
        }
        do {
            guard let code = try await provider.code(for: challenge, by: services.clock), !code.isEmpty else {
                return nil
            }
            // A code is short; whatever else a program prints does not go to a bank.
            guard code.revealed().count <= 64, !code.revealed().contains(where: \.isNewline) else {
                services.tell(.secondFactor(.unanswered(source, "its answer is not a code")))
                return nil
            }
            services.tell(.secondFactor(.answeredBy(source)))
            return code
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            services.tell(.secondFactor(.unanswered(source, sanitised("\(error)"))))
            return nil
        }
    }

    private func ask(
        _ kind: Prompt.Kind, _ step: SecondFactorStep, deadline: Date, left: Int? = nil, correcting rule: String? = nil
    ) async throws -> Secret {
        var prompt = try await prompt(kind, step, deadline: deadline)
        if let rule {
            prompt.question = "The code \(rule). " + prompt.question
        } else if let left {
            let tries = left.counted("try is", "tries are")
            prompt.question = "The bank did not accept that code; \(tries) left. " + prompt.question
        }
        services.tell(.secondFactor(.asked(prompt)))
        let answer: Secret
        do {
            answer = try await services.person.answer(prompt)
        } catch let error where !(error is CancellationError) {
            throw RunFailure(
                .bankSecondFactorTimeout, reason: .noAnswer,
                message: "the person could not be asked: \(sanitised("\(error)"))")
        }
        services.tell(.secondFactor(.answered))
        guard !answer.isEmpty else {
            throw RunFailure(.bankSecondFactorTimeout, reason: .noAnswer, message: "no code was given")
        }
        return answer
    }

    private func prompt(_ kind: Prompt.Kind, _ step: SecondFactorStep, deadline: Date) async throws -> Prompt {
        var words = if let question = step.question { try fill(question) } else { await engine.page()?.headline }
        if words == nil { words = answer?.ownWords }
        let usual =
            if case .confirmElsewhere = kind { "Approve the sign-in in the bank's app." } else {
                "The bank asks for a code."
            }
        return Prompt(
            kind: kind, bankName: script.name, question: sanitised(words ?? usual), deadline: deadline)
    }

    private func send(_ step: SecondFactorStep, field: Locator) async throws {
        if engine.patience > .zero, try await isGone(field, step.confirm) {
            // The page has sent the code with its last character.
            try await turn(submitting: true) {}
        } else if let confirm = step.confirm {
            let button = try await locate(confirm)
            try await turn(submitting: true) { try await engine.press(button) }
        } else {
            let buttons = try await engine.submitButtons(formOf: field)
            if let first = buttons.first, buttons.count > 1 {
                warn(
                    "the form has \(buttons.count) buttons, and the code was sent with the button “\(first)”; name the right "
                        + "one with press")
            }
            try await turn(submitting: true) { try await engine.submit(formOf: field) }
        }
    }

    /// Returns whether the page has moved on from a code's field, and from the button that would send the code.
    private func isGone(_ field: Locator, _ confirm: Locator?) async throws -> Bool {
        guard try await engine.texts(field).isEmpty else { return false }
        guard let confirm else { return true }
        return try await engine.texts(try await locate(confirm)).isEmpty
    }

    private func awaitPush(
        _ step: SecondFactorStep, until condition: Condition, polling poll: RequestStep?, every interval: Duration,
        deadline: Date
    ) async throws {
        let prompt = try await prompt(.confirmElsewhere, step, deadline: deadline)
        services.tell(.secondFactor(.asked(prompt)))
        let person = services.person
        let notice = Task { _ = try? await person.answer(prompt) }
        defer { notice.cancel() }
        if let poll { try await perform(poll) }
        while try await !holds(condition) {
            try await handleInterruptions()
            try await pause(until: interval, reloading: poll == nil, always: step.reloads)
            if let poll { try await perform(poll) }
        }
        services.tell(.secondFactor(.answered))
    }

    private func choose(_ step: SecondFactorStep, among choices: Locator, deadline: Date) async throws {
        let choices = try await locateShown(choices)
        let offered = try await watch { () -> [String]? in try await engine.texts(choices).nonEmpty } ?? []
        guard !offered.isEmpty else {
            throw RunFailure(
                .navigationFailed, reason: .layoutChanged, message: "expected \(choices), but the page offers no method"
            )
        }
        let picked = try await ask(.choice(offered), step, deadline: deadline).revealed()
        guard let option = offered.first(where: { $0 == picked }) else {
            throw RunFailure(
                .bankSecondFactorTimeout, reason: .noAnswer,
                message: "“\(picked)” is not offered; the bank offers: \(offered.joined(separator: ", "))")
        }
        let one = offered.count == 1 ? choices : choices.containing(.exact(option))
        if let confirm = step.confirm {
            // The texts may be the labels of what is to be checked.
            let labelled = Locator.field(.exact(option))
            try await engine.check(try await engine.texts(labelled).count == 1 ? labelled : one, true)
            let button = try await locate(confirm)
            try await turn(submitting: true) { try await engine.press(button) }
        } else {
            try await turn(submitting: true) { try await engine.press(one) }
        }
    }
}

extension [String] {
    fileprivate var nonEmpty: [String]? { isEmpty ? nil : self }
}
