import Clocks
import Testing

@Suite("A call of foreign code", .timeLimit(.minutes(3)))
struct ForeignCallTests {
    private struct Broken: Error {}

    @Test("gives its value and its error")
    func ends() async throws {
        #expect(try await callingOut(atMost: .seconds(60), on: SystemClock()) { 7 } == 7)
        await #expect(throws: Broken.self) {
            try await callingOut(atMost: .seconds(60), on: SystemClock()) { () -> Int in throw Broken() }
        }
    }

    @Test("is left behind when it does not heed its cancellation")
    func hangs() async {
        await #expect(throws: TimeLimitExceeded.self) {
            try await callingOut(atMost: .milliseconds(1), on: SystemClock()) {
                await withUnsafeContinuation { (_: UnsafeContinuation<Int, Never>) in }
            }
        }
        let caller = Task {
            try await callingOut(atMost: .seconds(3600), on: SystemClock()) {
                await withUnsafeContinuation { (_: UnsafeContinuation<Int, Never>) in }
            }
        }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
    }

    @Test("may end by itself after its cancellation, and is left behind when it does not")
    func grace() async throws {
        #expect(try await leavingBehind(after: .zero) { 7 } == 7)
        await #expect(throws: Broken.self) { try await leavingBehind(after: .zero) { () -> Int in throw Broken() } }
        let heeding = Task {
            try await leavingBehind(after: .seconds(3600)) {
                try? await Task.sleep(for: .seconds(3600))
                return 7
            }
        }
        heeding.cancel()
        #expect(try await heeding.value == 7)
        let (late, continuation) = AsyncStream<Int>.makeStream()
        let (goOn, gate) = AsyncStream<Void>.makeStream()
        let caller = Task {
            let end: @Sendable (Int) async -> Void = { continuation.yield($0) }
            return try await leavingBehind(after: .milliseconds(1), late: end) {
                // A task of its own heeds no cancellation.
                await Task { for await _ in goOn { break } }.value
                return 8
            }
        }
        caller.cancel()
        await #expect(throws: LeftBehind.self) { try await caller.value }
        gate.yield()
        #expect(await late.first { _ in true } == 8)
    }
}
