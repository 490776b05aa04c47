import BankScript
import Synchronization

/// One attempt to add a bank on the page, with its test login. The page looks at it until it has ended.
final class BankAddition: Sendable {
    enum End: Sendable {
        /// Added; requests for the bank can come as far as its script is served.
        case added(AddedBank, ServedBank)
        case failed(any Error)
    }

    let read: ReadScript
    /// The session of the browser that has begun it.
    let session: [UInt8]
    private let state = Mutex<End?>(nil)

    init(of read: ReadScript, by session: PageSession) {
        self.read = read
        self.session = session.id
    }

    var script: BankScript { read.script }

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
