import Foundation
import Synchronization
import Testing

@testable import KeyCustody

@Suite("The queue for the TPM", .timeLimit(.minutes(3))) struct TPMQueueTests {
    /// A queue whose TPM is taken until the test says otherwise.
    private final class Stage: Sendable {
        let queue: TPMQueue
        let turns = Mutex<[Int]>([])
        private let holder: Task<Void, any Error>
        private let end: AsyncStream<Void>.Continuation

        init(places: Int) async {
            let queue = TPMQueue(limit: places)
            let (ends, end) = AsyncStream<Void>.makeStream()
            let (begins, begin) = AsyncStream<Void>.makeStream()
            self.queue = queue
            self.end = end
            holder = Task {
                try await queue.run {
                    begin.finish()
                    for await _ in ends {}
                }
            }
            for await _ in begins {}
        }

        /// Lets a call wait, and returns once it does.
        func wait(_ number: Int) async -> Task<Void, any Error> {
            let before = await queue.length
            let call = Task { [self] in try await queue.run { turns.withLock { $0.append(number) } } }
            while await queue.length == before { await Task.yield() }
            return call
        }

        func release() async throws {
            end.finish()
            try await holder.value
        }
    }

    @Test("calls have their turns in the order in which they came")
    func order() async throws {
        let stage = await Stage(places: 4)
        var calls: [Task<Void, any Error>] = []
        for number in 0..<4 { calls.append(await stage.wait(number)) }
        try await stage.release()
        for call in calls { try await call.value }
        #expect(stage.turns.withLock { $0 } == [0, 1, 2, 3])
        #expect(await stage.queue.length == 0)
    }

    @Test("a call that finds no place is refused at once, and the queue goes on")
    func full() async throws {
        let stage = await Stage(places: 2)
        let calls = [await stage.wait(0), await stage.wait(1)]
        await #expect(throws: EnclaveBusy(waiting: 2)) { try await stage.queue.run {} }
        #expect(EnclaveBusy(waiting: 2).description.contains("Try again"))
        try await stage.release()
        for call in calls { try await call.value }
        #expect(try await stage.queue.run { 7 } == 7)
    }

    @Test("a call that is cancelled while it waits gives its place to another")
    func cancelled() async throws {
        let stage = await Stage(places: 1)
        let given = await stage.wait(0)
        given.cancel()
        await #expect(throws: CancellationError.self) { try await given.value }
        let next = await stage.wait(1)
        try await stage.release()
        try await next.value
        #expect(stage.turns.withLock { $0 } == [1])
    }

    @Test("a call that fails gives the TPM to the next one")
    func failed() async throws {
        let queue = TPMQueue()
        await #expect(throws: POSIXError.self) { try await queue.run { throw POSIXError(.EIO) } }
        #expect(try await queue.run { 7 } == 7)
    }
}
