import Automation
import Clocks
import Foundation
import SecondFactor
import Secrets

/// Answers a bank's question for a code with the token that the person linked to the bank.
struct LinkedTokenProvider: SecondFactorProvider {
    /// A code with less time left is not sent: it could be over before the bank looks at it.
    static let shortestTime: TimeInterval = 3

    let links: TokenLinks
    let tokens: TokenStore
    let clock: any RunClock
    let otherwise: any SecondFactorProvider

    /// The code that holds now, or the next one: when this one is nearly over, or was given out before. Waits for it.
    ///
    /// - Returns: nil, so that the person is asked, when no token is linked, the linked one is gone or not the one that
    ///   the script names, or no code comes in time.
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
        // Before it is given out: a code that was never sent is lost, one that is sent twice looks like a theft.
        try await links.remember(step: code.step, ofToken: id)
        return code.digits
    }

    /// A vault of tokens that cannot be read keeps nobody from their statement: the person is asked instead.
    private func token(_ id: UUID) async throws -> Token? {
        do {
            return try await tokens.vault().token(id)
        } catch is SecondFactorError {
            return nil
        }
    }
}

extension Token {
    /// Whether that is its issuer or its account, in either case.
    public func isNamed(_ name: String) -> Bool {
        let name = name.trimmingCharacters(in: .whitespaces).lowercased()
        return [issuer, account].contains { $0.lowercased() == name }
    }
}
