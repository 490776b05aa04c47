import BankScript
import Synchronization

/// One attempt to add a bank on the page, with its test login. The page looks at it until it has ended.
final class BankAddition: Sendable {
    enum End: Sendable {
        /// Added; `isServed` when requests for the bank can come without a restart.
        case added(StoredCredentials, isServed: Bool)
        case failed(any Error)
    }

    let script: BankScript
    private let state = Mutex<End?>(nil)

    init(of script: BankScript) {
        self.script = script
    }

    /// Nil while the attempt is under way.
    var end: End? { state.withLock { $0 } }

    /// Returns the end, and waits a while for it.
    func end(within patience: Duration) async -> End? {
        let limit = ContinuousClock.now + patience
        while end == nil, ContinuousClock.now < limit, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(100))
        }
        return end
    }

    func ended(_ end: End) { state.withLock { $0 = end } }
}
