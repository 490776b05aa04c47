import BankScript
import Encodings
import Foundation
import Messages
import Secrets
import WebURL

// Sessions at interfaces of their own kind, which the owner opens with a yes in their browser.

extension CredentialExchanger {
    /// Asks the bank for a page, lets the owner say yes there, and gives the code away for the session.
    func open(_ session: OwnersSession, _ browser: any OwnersBrowser) async throws {
        // A code that an earlier try was given may still be good.
        if case .redeeming(let code, let state, let redirect, let since) = try await read().pending,
            now.timeIntervalSince(since) < Self.lifeOfCode,
            try await redeem(code, session, state, redirect, orForget: true)
        {
            return
        }
        let redirect = try await browser.redirect(try await wanted(session.redirect))
        let state = Self.random()
        let end = now.addingTimeInterval(Double(session.days) * 86_400)
        let answer: JSONValue?
        do {
            answer = try await perform(session.ask, state, redirect) {
                $0[OwnersSession.untilName] = .text(end.formatted(.iso8601))
            }
        } catch let failure as RunFailure {
            throw failure.naming(redirect: session.redirect, of: script)
        }
        let code = try await code(from: try page(session.page, in: answer), to: redirect, state, browser)
        try await locked {
            var kept = try await read()
            kept.pending = .redeeming(code: code, verifier: state, redirect: redirect, since: now)
            try await keep(kept)
        }
        _ = try await redeem(code, session, state, redirect, orForget: false)
    }

    /// Returns the address of the page for the owner's yes, which stands in the bank's answer.
    private func page(_ path: String, in answer: JSONValue?) throws -> String {
        let found = try answer.map { try JSONPath(path).values(in: $0) } ?? []
        guard found.count == 1, let page = found.first?.stringValue, page.utf8.count <= 8000 else {
            throw RunFailure(
                .navigationFailed, reason: .layoutChanged,
                message: "the bank's answer names no page for your yes at \(path); tell the script's author",
                candidates: answer?.paths(nearestTo: path) ?? [])
        }
        // As a browser reads it: the owner is shown its host before they go there.
        guard let address = try? URLRecord(parsing: page), !address.hasCredentials,
            address.scheme == "https" || script.isForTesting && address.scheme == "http"
        else {
            throw RunFailure(
                .navigationFailed, reason: .insecureContent,
                message: "the bank names a page for your yes that is not https, or a user in its address; "
                    + "tell the script's author")
        }
        return address.description
    }

    /// Gives a code away for a session, and keeps the answer.
    ///
    /// - Parameter forgets: returns false for a code that is refused, because it was given away before.
    private func redeem(
        _ code: Secret, _ session: OwnersSession, _ state: Secret, _ redirect: String, orForget forgets: Bool
    ) async throws -> Bool {
        try await locked {
            let answer: JSONValue?
            do {
                answer = try await perform(session.redeem, state, redirect) {
                    $0[OwnersSession.codeName] = .secret(code)
                }
            } catch let failure as RunFailure {
                // The bank may not have taken the code yet: the next try begins with it.
                let isOpen: Set<FailureReason?> = [.networkFailed, .serverError, .refusedByBank, .timeout, .cancelled]
                guard !isOpen.contains(failure.reason) else { throw failure }
                var kept = try await read()
                kept.pending = nil
                try await keep(kept)
                if forgets { return false }
                throw failure
            }
            guard let answer else {
                throw RunFailure(
                    .navigationFailed, reason: .layoutChanged,
                    message: "the bank answered the code of your yes without a session; tell the script's author")
            }
            let grant = KeptExchange.Grant(
                credentials: [:], obtainedAt: now, source: "owner", answer: Secret(answer.compactText()))
            try await keep(grant, after: answer)
            return true
        }
    }

    /// Performs steps of the exchange, which belong to no run: no trace has them.
    ///
    /// - Returns: the latest answer.
    private func perform(
        _ steps: [Step], _ state: Secret, _ redirect: String, knowing add: (inout [String: Input]) -> Void
    ) async throws -> JSONValue? {
        var known: [String: Input] = [
            OwnersSession.stateName: .secret(state), OwnersSession.redirectName: .secret(Secret(redirect)),
        ]
        add(&known)
        var services = services
        services.observer = SilentObserver()
        let execution = ScriptExecution(script: script, parameters: [:], engine: engine, services: services)
        return try await execution.performExchange(steps, knowing: known)
    }
}

extension RunFailure {
    /// Returns the failure with the remedy, where the bank refused the address to which the browser is to come back. Its interface
    /// says so in words of its own, so those are searched for the address's name in every standard (RFC 6749, section 3.1.2).
    fileprivate func naming(redirect: Value?, of script: BankScript) -> RunFailure {
        guard code == .navigationFailed, reason == nil,
            bankWords?.range(of: "redirect", options: .caseInsensitive) != nil
        else {
            return self
        }
        let remedy =
            redirect?.credentialName.map { name in
                "add the \(name) that the phone has to your application at \(script.name), letter for letter, or store the one "
                    + "that is there: countersign phone banks change \(script.id)"
            } ?? "compare the “redirect” of the script with the one at \(script.name)"
        var failure = self
        failure.message =
            "\(message), because it does not know the address to which your browser is to come back; \(remedy)"
        return failure
    }
}

extension ScriptExecution {
    /// Performs the steps of an exchange.
    ///
    /// - Returns: the latest answer.
    fileprivate func performExchange(_ steps: [Step], knowing known: [String: Input]) async throws -> JSONValue? {
        captures = known
        isExchange = true
        try await perform(steps, depth: 0, from: 1)
        return answer
    }
}
