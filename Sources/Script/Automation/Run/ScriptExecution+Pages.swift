import BankScript
import Clocks
import Messages

// Changing the page, and what may stand on the new one instead of the expected: an interruption or an error.

extension ScriptExecution {
    /// Changes the page. A search result is forgotten with the page that it was on.
    ///
    /// - Parameter isSubmission: the change may send what was typed into the page.
    public func turn(submitting isSubmission: Bool = false, _ change: () async throws -> Void) async throws {
        found = nil
        let sent = (isSubmission ? try ledger?.sendTyped() ?? [] : []).union(keyed)
        keyed = []
        try await sending(sent, change)
        ledger?.turnPage()
        lateFailures = []
        pageCount += 1
        do {
            try await retryAfterServerError()
        } catch {
            // The bank has the credential, and answered with its trouble alone.
            leaveUnanswered(sent)
            throw error
        }
        if !sent.isEmpty { note(answer: await engine.page()?.status, to: sent) }
    }

    /// Makes an exchange that may carry a credential or a code, and notes it where no answer comes.
    func sending<Answer>(
        _ sent: Set<SubmissionLedger.Item>, _ exchange: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await exchange()
        } catch {
            note(unanswered: error, sent)
            throw error
        }
    }

    /// Notes how the bank answered an exchange that may have carried a credential or a code.
    ///
    /// - Parameter shown: the credentials that accompanied it outside its body. A bank that refuses them once would refuse them
    ///   again, so they leave no more in this run.
    func note(answer status: Int?, to sent: Set<SubmissionLedger.Item>, showing shown: Set<SubmissionLedger.Item> = [])
    {
        guard !sent.isEmpty || !shown.isEmpty else { return }
        refusal = RefusedSubmission(status: status, of: sent, showing: shown, isSignIn: !isExchange)
        if refusal != nil { ledger?.refuse(shown) }
        if sent.contains(where: \.isCredential), !isExchange {
            isSignInUnconfirmed = true
            isSignInUnanswered = false
        }
    }

    /// Notes that no answer came to an exchange that may have carried a credential or a code: the bank may have received it, and
    /// refused it unseen. What may not be sent once more has not left again.
    func note(unanswered error: any Error, _ sent: Set<SubmissionLedger.Item>) {
        guard (error as? RunFailure)?.reason != .attemptsUsed else { return }
        let told = error as? EngineError
        // A document that came is an answer.
        if told?.kind == .notKept { return note(answer: nil, to: sent) }
        if told?.mayHaveArrived ?? true {
            leaveUnanswered(sent)
        } else {
            ledger?.takeBack(sent)
        }
    }

    private func leaveUnanswered(_ sent: Set<SubmissionLedger.Item>) {
        guard sent.contains(where: \.isCredential), !isExchange else { return }
        isSignInUnconfirmed = true
        isSignInUnanswered = true
    }

    static let temporaryErrors = [500, 502, 503, 504]
    static let pausesBetweenAttempts: [Duration] = [.milliseconds(300), .seconds(1)]

    /// Returns how long to wait before the server is asked again; nil when it is not to be asked again.
    ///
    /// - Parameter asked: how long the server asks to wait.
    static func pause(after status: Int, _ asked: RetryAfter?, usual: Duration) -> Duration? {
        guard temporaryErrors.contains(status) || status == 429 && asked != nil else { return nil }
        guard let asked else { return usual }
        return asked.duration <= RetryAfter.longest ? max(asked.duration, usual) : nil
    }

    /// Reloads a page that shows a server's temporary trouble (RFC 9110, section 15.6), twice at most, where it can be
    /// requested again.
    private func retryAfterServerError() async throws {
        for pause in Self.pausesBetweenAttempts {
            guard let page = await engine.page(), page.status >= 400 else { return }
            let asked = RetryAfter(page.headers, now: services.clock.now)
            guard let wait = Self.pause(after: page.status, asked, usual: pause), try await pending() == nil else {
                return
            }
            try await services.clock.sleep(for: wait)
            do {
                try await engine.reload()
            } catch let error as EngineError where error.kind == .other {
                return
            }
        }
    }

    /// Leaves the pages that the script's interruptions declare, and ends the run where one says so. Steps that last
    /// longer ask for themselves: a search, a wait, the steps of `finally`.
    func handleInterruptions() async throws {
        guard !isInterrupted else { return }
        isInterrupted = true
        defer { isInterrupted = false }
        // Another interruption may follow the one that was passed. The count ends a bank that loops.
        for _ in 0..<8 {
            guard let interruption = try await pending() else { return }
            switch interruption.response {
            case .fail(let code, let reason):
                // At the end, the run is over anyway.
                if position.isFinally { return }
                throw await declared(code, reason, by: interruption.condition)
            case .pass(let steps): try await perform(steps, depth: position.depth + 1, from: position.number)
            }
        }
        throw RunFailure(.navigationFailed, message: "the bank kept interrupting after eight interruptions were passed")
    }

    /// Leaves an interruption that came by itself, after the last step.
    ///
    /// - Returns: false when the page shows none that can be left.
    func passInterruption() async throws -> Bool {
        guard !isInterrupted, case .pass? = (try? await pending())?.response else { return false }
        try await handleInterruptions()
        return true
    }

    /// Returns whether one of the `fail` steps that come next ends the run: the script knows better what a page with an
    /// error status means.
    func isExplained(by following: ArraySlice<Step>) async throws -> Bool {
        guard await engine.page()?.status ?? 200 >= 400 else { return false }
        for step in following {
            guard let failure = step.action.as(FailStep.self) else { return false }
            if try await holds(failure.condition) { return true }
        }
        return false
    }

    /// Ends the run on a page with an error status.
    func checkStatus(expecting expected: ClosedRange<Int>?) async throws {
        guard let page = await engine.page(), page.status >= 400, expected?.contains(page.status) != true else {
            return
        }
        if page.needsJavaScript, page.status != 429, !RobotWall.isPage(page) {
            throw RunFailure(
                .navigationFailed, reason: .javascriptRequired,
                message:
                    "the bank answered \(page.status) with a page that only JavaScript fills; a script for it has engine: browser"
            )
        }
        if let refusal = RunFailure(turnedAwayBy: page) { throw refusal }
        throw RunFailure(
            .navigationFailed, reason: page.status >= 500 ? .serverError : nil,
            message: "the bank answered \(page.status); "
                + (page.status >= 500
                    ? "try again later" : "if the script may go on from there, add expecting: \(page.status)"))
    }

    /// Returns the first declared interruption that the page shows.
    func pending() async throws -> Interruption? {
        let page = await openPage
        guard page.page != nil || answer != nil else { return nil }
        return try await firstMet(script.interruptions, on: page)
    }
}
