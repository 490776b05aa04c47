import AssistantProcesses

/// Lets one call at a time use the TPM. A few more wait in the order in which they came, and the next one is refused.
struct TPMQueue: Sendable {
    /// The most calls that wait. A TPM makes a quote in about half a second, so the last of them waits some seconds.
    static let most = 16

    private let turns: Turns

    init(limit: Int = TPMQueue.most) {
        turns = Turns(1, mostWaiting: limit)
    }

    /// The calls that wait.
    var length: Int { get async { await turns.length } }

    /// Runs `body` when its turn comes.
    ///
    /// - Throws: ``EnclaveBusy`` at once when too many wait; `CancellationError` when the task is cancelled while it waits.
    func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await turns.run(body)
        } catch let full as Turns.Full {
            throw EnclaveBusy(waiting: full.waiting)
        }
    }
}

/// The enclave has as many calls as it can answer in a short time. Try again in a few seconds.
struct EnclaveBusy: Error, Sendable, Hashable, CustomStringConvertible {
    /// The calls that wait already.
    let waiting: Int

    var description: String {
        "the TPM is busy: \(waiting) calls wait for it already. Try again in a few seconds"
    }
}
