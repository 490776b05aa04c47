import BrokerStore
import Clocks
import Logging
import Messages
import Notifications

/// Tells the owner a week and a day before the end of their consent to a bank's interface, and after it, once each: also while the
/// phone that has the bank is away.
struct ConsentWatch: Sendable {
    let banks: BankStore
    let hasDefaultDevice: Bool
    /// The time between two looks.
    let interval: Duration
    let notifiers: [any OwnerNotifying]
    let clock: BrokerClock
    let logger: Logger

    /// Looks now and then, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: interval)
        }
    }

    /// Tells of what is due. What no channel takes, for example because each has told enough in this hour, does
    /// not count as told: a later look tells it.
    func look() async {
        guard !notifiers.isEmpty else { return }
        do {
            try await banks.tellConsents(withDefaultDevice: hasDefaultDevice, at: clock.now) { bankID, consent in
                let tellers = notifiers.count { $0.tell(consent) }
                guard tellers > 0 else { return false }
                logger.info("a consent ends", metadata: ["bank": "\(bankID)"])
                return true
            }
        } catch {
            guard !Task.isCancelled else { return }
            logger.error("the ends of consents could not be read", metadata: ["error": "\(error)"])
        }
    }
}
