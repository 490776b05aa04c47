/// Calls to the database that are made together: those that come while some are under way go into the next transaction. A
/// hundred calls side by side then cost two transactions and not a hundred, and a call that comes alone waits for nothing.
///
/// A call is finished even when its task is cancelled.
package actor GatheredCalls<Argument: Sendable, Answer: Sendable> {
    private struct Call {
        let argument: Argument
        let continuation: CheckedContinuation<Answer, any Error>
    }

    private let most: Int
    private let perform: @Sendable ([Argument]) async throws -> [Answer]
    private var waiting: [Call] = []
    private var isUnderWay = false

    /// The number of calls that are not under way yet.
    var waitingCount: Int { waiting.count }

    /// - Parameters:
    ///   - most: the most calls of one transaction.
    ///   - perform: makes several calls, and returns an answer to each in their order.
    package init(atMost most: Int = 256, _ perform: @escaping @Sendable ([Argument]) async throws -> [Answer]) {
        self.most = most
        self.perform = perform
    }

    package func callAsFunction(_ argument: Argument) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            waiting.append(Call(argument: argument, continuation: continuation))
            guard !isUnderWay else { return }
            isUnderWay = true
            Task { await performAll() }
        }
    }

    private func performAll() async {
        while !waiting.isEmpty {
            let part = Array(waiting.prefix(most))
            waiting.removeFirst(part.count)
            await perform(part)
        }
        isUnderWay = false
    }

    private func perform(_ calls: [Call]) async {
        do {
            let answers = try await perform(calls.map(\.argument))
            for (call, answer) in zip(calls, answers) { call.continuation.resume(returning: answer) }
        } catch let error as AssistantStoreError where calls.count > 1 && error.isOfOneCall {
            // One call's fault must not be the others' too. One after another: calls about one user keep their order.
            for call in calls { await perform([call]) }
        } catch {
            for call in calls { call.continuation.resume(throwing: error) }
        }
    }
}

extension AssistantStoreError {
    /// True if one call may be the reason: by its values, or by a row that another transaction keeps locked.
    fileprivate var isOfOneCall: Bool {
        switch code {
        case .conflict, .damaged, .unstorable, .other, .tooSlow, .deadlock: true
        case .unavailable, .full, .readOnly: false
        }
    }
}
