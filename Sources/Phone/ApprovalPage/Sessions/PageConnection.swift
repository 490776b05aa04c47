import Automation
import Foundation
import Messages
import Secrets
import Synchronization

/// One attempt to connect a bank from the page: the browser goes to the bank's page, and comes back to this one.
final class PageConnection: OwnersBrowser {
    /// The point that the attempt has come to, as the page shows it.
    enum Turn: Sendable {
        /// The page at which the owner says yes.
        case page(String)
        /// A code that the owner types on another device.
        case code(OwnersCode)
        /// Connected, until a day that may not be known.
        case connected(until: Date?)
        case failed(String)
    }

    private struct State {
        var turn: Turn?
        /// The mark of the page that was opened, until the browser has brought it back.
        var mark: Secret?
        var isOver = false
    }

    /// The address of this page to which a bank may lead back.
    let address: String
    let bankID: String
    let bankName: String
    private let state = Mutex(State())
    private let (answers, answer) = AsyncStream.makeStream(of: Secret.self, bufferingPolicy: .bufferingOldest(1))

    init(address: String, bankID: String, bankName: String) {
        self.address = address
        self.bankID = bankID
        self.bankName = bankName
    }

    // MARK: The page's side

    /// Returns the point that the attempt has come to, and waits a while for there to be one.
    ///
    /// - Parameter isAnswered: the owner has answered, so that the attempt's end is what they wait for.
    func turn(within patience: Duration, isAnswered: Bool) async -> Turn? {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            let (turn, isOver) = state.withLock { ($0.turn, $0.isOver) }
            if isOver || (turn != nil && !isAnswered) { return turn }
            // The bank's answers take longer.
            try? await Task.sleep(for: .milliseconds(100))
            if Task.isCancelled { break }
        }
        return state.withLock { $0.turn }
    }

    /// Takes what a browser brought back.
    ///
    /// - Returns: false for a browser that this attempt did not send, or that comes a second time.
    func take(_ query: Secret) -> Bool {
        let isRight = state.withLock { state in
            guard let mark = state.mark, Self.mark(in: query)?.isEqual(to: mark) == true else { return false }
            state.mark = nil
            return true
        }
        if isRight { answer.yield(query) }
        return isRight
    }

    func ended(_ turn: Turn) {
        state.withLock { ($0.turn, $0.mark, $0.isOver) = (turn, nil, true) }
        answer.finish()
    }

    private static func mark(in query: Secret) -> Secret? {
        for pair in query.revealed().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == "state" { return Secret(parts[1].removingPercentEncoding ?? "") }
        }
        return nil
    }

    // MARK: The exchange's side

    func redirect(_ wanted: String?) async throws -> String {
        guard wanted == nil || wanted == address else {
            throw RunFailure(
                .navigationFailed,
                message:
                    "the bank leads back to another address than this page's, which is \(address); store this one as "
                    + "its redirect URL here and at the bank, or connect it at the terminal: countersign phone banks connect \(bankID)"
            )
        }
        return address
    }

    func visit(_ page: OwnersPage) async throws -> Secret {
        state.withLock { ($0.turn, $0.mark) = (.page(page.address), page.state) }
        for await query in answers { return query }
        try Task.checkCancellation()
        throw RunFailure(
            .bankLoginFailed, reason: .noAnswer, message: "the browser did not come back in time; try again")
    }

    func show(_ code: OwnersCode) async throws {
        state.withLock { $0.turn = .code(code) }
    }
}
