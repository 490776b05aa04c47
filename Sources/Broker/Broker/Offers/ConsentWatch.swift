import BrokerStore
import Clocks
import Logging
import Messages
import Notifications
import Synchronization

/// Tells the owner a week and a day before the end of their consent to a bank's interface, and after it, once each: also while the
/// phone that has the bank is away.
///
/// A consent counts as told when a channel has sent the message, not before. Consents that are being told are kept here, so that no
/// look tells them twice; after a restart in that moment they are told again, because one message too many is better than none.
final class ConsentWatch: Sendable {
    private enum Progress: Equatable {
        /// So many channels still have to say whether they sent it.
        case underway(Int)
        /// It was sent, and the database does not say so yet.
        case sent
        /// The database has said so since some moment of the last look, which may have read it before.
        case marked
    }

    private let banks: BankStore
    private let hasDefaultDevice: Bool
    /// The time between two looks.
    private let interval: Duration
    private let notifiers: [any OwnerNotifying]
    private let clock: BrokerClock
    private let logger: Logger
    private let progress = Mutex<[BankStore.UntoldConsent: Progress]>([:])
    private let wishes: AsyncStream<Void>
    private let wish: AsyncStream<Void>.Continuation

    init(
        banks: BankStore, hasDefaultDevice: Bool, interval: Duration, notifiers: [any OwnerNotifying],
        clock: BrokerClock, logger: Logger
    ) {
        self.banks = banks
        self.hasDefaultDevice = hasDefaultDevice
        self.interval = interval
        self.notifiers = notifiers
        self.clock = clock
        self.logger = logger
        (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Looks now and then, and when it is asked to, until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                while !Task.isCancelled {
                    lookSoon()
                    try? await Task.sleep(for: interval)
                }
            }
            group.addTask { [self] in for await _ in wishes { await look() } }
        }
    }

    func lookSoon() { wish.yield() }

    /// Tells of what is due. One look has to end before the next begins. What no channel sends, for example because each has told
    /// enough in this hour, does not count as told: a later look tells it.
    func look() async {
        guard !notifiers.isEmpty else { return }
        let settled = progress.withLock { Set($0.filter { $0.value == .marked }.keys) }
        do {
            let due = try await banks.untoldConsents(withDefaultDevice: hasDefaultDevice, at: clock.now)
            // An end that the database has as told, and one that phones no longer tell of, is forgotten here.
            let stillDue = Set(due)
            progress.withLock { progress in
                progress = progress.filter {
                    !settled.contains($0.key) && ($0.value != .sent || stillDue.contains($0.key))
                }
            }
            for consent in due {
                switch progress.withLock({ $0[consent] }) {
                case nil: tell(consent)
                case .sent: await mark(consent)
                case .underway, .marked: break
                }
            }
        } catch {
            guard !Task.isCancelled else { return }
            logger.error("the ends of consents could not be read", metadata: ["error": "\(error)"])
        }
    }

    private func tell(_ consent: BankStore.UntoldConsent) {
        progress.withLock { $0[consent] = .underway(notifiers.count) }
        for notifier in notifiers {
            let isTaken = notifier.tell(consent.consent, of: consent.device) { [self] wasSent in
                if wasSent { await note(consent) } else { giveUp(consent) }
            }
            if !isTaken { giveUp(consent) }
        }
    }

    /// Notes that a channel does not send it. After the last one a later look tells it.
    private func giveUp(_ consent: BankStore.UntoldConsent) {
        progress.withLock { progress in
            guard case .underway(let count) = progress[consent] else { return }
            progress[consent] = count > 1 ? .underway(count - 1) : nil
        }
    }

    private func note(_ consent: BankStore.UntoldConsent) async {
        let isFirst = progress.withLock { progress in
            guard case .underway = progress[consent] else { return false }
            progress[consent] = .sent
            return true
        }
        guard isFirst else { return }
        logger.info("a consent ends", metadata: ["bank": "\(consent.bankID)"])
        // A broker that stops now still writes down what it has sent.
        await Task { await mark(consent) }.value
    }

    private func mark(_ consent: BankStore.UntoldConsent) async {
        do {
            try await banks.markTold(consent)
            progress.withLock { $0[consent] = .marked }
        } catch {
            logger.error("a consent could not be counted as told", metadata: ["error": "\(error)"])
        }
    }
}
