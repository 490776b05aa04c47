import Authenticator
import Automation
import Clocks
import Foundation
import Secrets

/// Answers a bank's question for a code with the token that the person linked to the bank.
struct LinkedTokenProvider: SecondFactorProvider {
    /// The least validity of a code that is sent, in seconds; a shorter one could expire before the bank checks it.
    static let shortestTime: TimeInterval = 3

    let links: TokenLinks
    let tokens: TokenStore
    let clock: any RunClock
    let otherwise: any SecondFactorProvider

    /// Returns the current code, or waits for the next one if the current code is about to expire or was given out
    /// before.
    ///
    /// - Returns: nil, so that the person is asked, if no token is linked, if the linked token is gone or is not the
    ///   one that the script names, or if no code becomes valid in time.
    func code(for challenge: SecondFactorChallenge) async throws -> Secret? {
        guard let id = try await links.tokenID(forBank: challenge.bankID), let token = try await token(id),
            challenge.token.map(token.isNamed) ?? true
        else { return try await otherwise.code(for: challenge) }
        var code = token.code(at: clock.now)
        let earliest = try await links.lastStep(ofToken: id).map { $0 &+ 1 } ?? 0
        if code.timeLeft(at: clock.now) < Self.shortestTime || code.step < earliest {
            code = token.code(step: max(code.step + 1, earliest))
            guard code.begins.addingTimeInterval(Self.shortestTime) < challenge.deadline else { return nil }
            while clock.now < code.begins {
                try await clock.sleep(for: .seconds(code.begins.timeIntervalSince(clock.now) + 0.05))
            }
        }
        // Remember the step first: losing an unused code does no harm, but sending a code twice looks like theft.
        try await links.remember(step: code.step, ofToken: id)
        return code.digits
    }

    /// Returns nil when the tokens cannot be read, so that the person is asked instead.
    private func token(_ id: UUID) async throws -> Token? {
        do {
            return try await tokens.vault().token(id)
        } catch is SecondFactorError {
            return nil
        }
    }
}

extension Token {
    /// Returns whether a name is the token's issuer or account, ignoring case.
    package func isNamed(_ name: String) -> Bool {
        let name = name.trimmingCharacters(in: .whitespaces).lowercased()
        return [issuer, account].contains { $0.lowercased() == name }
    }
}
