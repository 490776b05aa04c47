import BankScript
import Foundation
import Secrets
import Synchronization

/// Keeps until when the owner has consented that a bank's interface answers, over runs.
public protocol ConsentBook: Sendable {
    /// Returns what is known of the consent at a bank; nil for nothing.
    func consent(atBank bankID: String) async throws -> Consent?

    func keep(_ consent: Consent?, atBank bankID: String) async throws
}

/// The owner's consent that a bank's interface answers.
public struct Consent: Sendable, Hashable {
    /// The end that the interface named; nil where it names none.
    public var endsAt: Date?
    /// The moment at which the interface took it no more; nil while it does.
    public var endedAt: Date?
    /// True where the owner renews it with a yes at the bank's page; false where it is part of the credentials.
    public var needsOwner: Bool

    public init(endsAt: Date? = nil, endedAt: Date? = nil, needsOwner: Bool = true) {
        self.endsAt = endsAt
        self.endedAt = endedAt
        self.needsOwner = needsOwner
    }

    /// Returns the moment of the end, if it has passed.
    public func end(by now: Date) -> Date? {
        [endedAt, endsAt].compactMap(\.self).filter { $0 <= now }.min()
    }
}

extension HostServices {
    /// Changes what is known of the owner's consent, by what a run has heard. Nothing changes where the owner has connected the bank
    /// anew since the run began: what it heard is about the consent before. A consent that cannot be read is not replaced.
    ///
    /// - Parameter grant: the state of an exchange as it was kept when the run began; nil without one.
    func changeConsent(of script: BankScript, given grant: Secret?, _ change: (inout Consent) -> Void) async {
        guard await isCurrent(grant, atBank: script.id) else { return }
        do {
            var consent =
                try await consents.consent(atBank: script.id)
                ?? Consent(needsOwner: script.exchange?.needsOwner == true)
            change(&consent)
            try await consents.keep(consent, atBank: script.id)
        } catch {
            // A run counts without what it tells of the consent, too.
        }
    }
}

/// Keeps nothing.
package struct NoConsents: ConsentBook {
    package init() {}

    package func consent(atBank bankID: String) async throws -> Consent? { nil }
    package func keep(_ consent: Consent?, atBank bankID: String) async throws {}
}

/// Counts the requests to a bank over runs and restarts.
public protocol RequestCounter: Sendable {
    /// Counts one request, if fewer than `limit` were counted in the 24 hours before.
    ///
    /// - Returns: nil where the request may leave; else the moment from which it may.
    func count(forBank bankID: String, limit: Int, at now: Date) async throws -> Date?

    /// Takes a turn in the line of requests that leave with at least `gap` between any two.
    ///
    /// - Returns: the time to wait until the turn comes.
    func turn(forBank bankID: String, gap: Duration, at now: Date) async throws -> Duration
}

/// Counts none of a day's requests, and keeps the line of requests for as long as the program runs.
package final class UncountedRequests: RequestCounter {
    private let latest = Mutex<[String: Date]>([:])

    package init() {}

    package func count(forBank bankID: String, limit: Int, at now: Date) async throws -> Date? { nil }

    package func turn(forBank bankID: String, gap: Duration, at now: Date) async throws -> Duration {
        let turn = latest.withLock { latest in
            let turn = RequestBudget.turn(after: latest[bankID], gap: gap, at: now)
            latest[bankID] = turn
            return turn
        }
        return .seconds(turn.timeIntervalSince(now))
    }
}
