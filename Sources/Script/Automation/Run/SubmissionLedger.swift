import BankScript
import Synchronization

/// Counts how often a run sends each credential and each one-time code, and stops the run before it sends one too often.
///
/// Banks lock an account after a few refused sign-ins, so a loop in a script or in a bank's pages must not repeat one.
/// The count works with every engine: what was typed into a page counts when a button of the page is pressed, and what
/// a request holds counts when the request is sent.
final class SubmissionLedger: Sendable {
    /// A value that a bank may refuse. User names do not count.
    enum Item: Hashable, Sendable {
        case credential(String)
        /// The codes that one step of the script obtains.
        case code(SecondFactorStep)

        var isCredential: Bool { if case .credential = self { true } else { false } }

        var words: String {
            switch self {
            case .credential(let name): "the \(name)"
            case .code: "a one-time code of the same step"
            }
        }
    }

    private struct State {
        /// Typed into the open page.
        var typed: Set<Item> = []
        /// Sent by the latest exchange.
        var latest: Set<Item> = []
        var counts: [Item: Int] = [:]
        /// Counted, and not yet seen in an exchange by an engine that watches them.
        var announced: Set<Item> = []
        /// The credentials outside a body that the bank refused.
        var refused: Set<Item> = []
        var hasShown = false
        /// Counted because the page sent it by itself, before the step that would have sent it: with a code's last digit.
        var ahead: Set<Item> = []
    }

    private let limit: @Sendable (Item) -> Int
    private let state = Mutex(State())

    /// - Parameter limit: the number of times that a run may send an item.
    init(limit: @escaping @Sendable (Item) -> Int) {
        self.limit = limit
    }

    /// True once an item was about to be sent: from then on the bank may have it.
    var hasSent: Bool { state.withLock { !$0.counts.isEmpty || $0.hasShown } }

    func type(_ items: Set<Item>) { state.withLock { $0.typed.formUnion(items) } }

    /// Forgets what was typed: another page is open.
    func turnPage() {
        state.withLock { state in
            state.typed = []
            state.ahead = []
        }
    }

    /// Counts what was typed into the open page, before it is sent.
    ///
    /// - Returns: what is sent.
    /// - Throws: ``RunFailure`` when one of the items may not be sent again.
    func sendTyped() throws(RunFailure) -> Set<Item> {
        let typed = state.withLock { $0.typed }
        try send(typed)
        return typed
    }

    /// Counts the items of a request, before it is sent.
    ///
    /// What the page has sent ahead of the step is counted already. If it leaves once more with the step, it counts again.
    func send(_ items: Set<Item>) throws(RunFailure) {
        let ahead = state.withLock { state in
            defer { state.ahead.subtract(items) }
            return state.ahead
        }
        try count(items.subtracting(ahead))
        state.withLock { state in
            state.latest = items
            state.announced.formUnion(items.subtracting(ahead))
        }
    }

    /// Takes back the count of items that a step did not send, because it did not find what it would have pressed.
    func takeBack(_ items: Set<Item>) {
        state.withLock { state in
            for item in items where state.announced.remove(item) != nil { state.counts[item, default: 1] -= 1 }
            state.counts = state.counts.filter { $0.value > 0 }
        }
    }

    /// Counts an exchange that a page makes, before it leaves with an item. The first one after a step that sends the item
    /// is that step's; each further one counts.
    func leave(with item: Item) throws(RunFailure) {
        guard state.withLock({ $0.announced.remove(item) }) == nil else { return }
        try count([item])
        state.withLock { _ = $0.ahead.insert(item) }
    }

    /// Checks the credentials that accompany a request outside its body, before it is sent. They do not count: an interface wants
    /// them with every request.
    ///
    /// - Throws: ``RunFailure`` for one that the bank refused.
    func show(_ items: Set<Item>) throws(RunFailure) {
        let refused = state.withLock { state in
            if !items.isEmpty { state.hasShown = true }
            return items.first { state.refused.contains($0) }
        }
        guard let item = refused else { return }
        throw RunFailure(
            .bankLoginFailed, reason: .wrongCredentials,
            message: "the bank refused \(item.words), so it is not sent again in this run")
    }

    /// The names of the credentials outside a body that the bank refused.
    var refusedCredentials: Set<String> {
        state.withLock { state in
            Set(state.refused.compactMap { item in if case .credential(let name) = item { name } else { nil } })
        }
    }

    /// Keeps credentials that the bank refused from leaving again.
    func refuse(_ items: Set<Item>) { state.withLock { $0.refused.formUnion(items) } }

    private func count(_ items: Set<Item>) throws(RunFailure) {
        let exhausted = state.withLock { state -> Item? in
            state.latest = items
            if let item = items.first(where: { state.counts[$0, default: 0] >= limit($0) }) { return item }
            for item in items { state.counts[item, default: 0] += 1 }
            return nil
        }
        if let exhausted { throw refusal(of: exhausted) }
    }

    /// Counts the items of the latest exchange once more: a redirect repeats its body.
    func sendAgain() throws(RunFailure) { try send(state.withLock { $0.latest }) }

    private func refusal(of item: Item) -> RunFailure {
        let limit = limit(item)
        return RunFailure(
            .bankLoginFailed, reason: .attemptsUsed,
            message:
                "\(item.words) was sent \(limit == 1 ? "once" : "\(limit) times") in this run and is not sent again, "
                + "because the bank could lock the account. If the bank needs it more than once, add `attempts` to the script"
        )
    }
}

extension BankScript {
    /// Returns the number of times that a run may send an item.
    func limit(of item: SubmissionLedger.Item) -> Int {
        switch item {
        case .credential: attempts
        // Two steps that read the same are two steps.
        case .code(let step) where step.tries > 1:
            // Many banks lock an account after three refused codes, so the factors do not multiply beyond.
            min(SecondFactorStep.triesRange.upperBound, attempts * max(1, count(of: step)) * step.tries)
        case .code(let step): attempts * max(1, count(of: step))
        }
    }

    private func count(of wanted: SecondFactorStep) -> Int {
        func count(_ steps: [Step]) -> Int {
            steps.allActions.count { $0.as(SecondFactorStep.self) == wanted }
        }
        let passed = interruptions.map { interruption in
            if case .pass(let steps) = interruption.response { count(steps) } else { 0 }
        }
        return count(steps) + count(finally) + passed.reduce(0, +)
    }
}
