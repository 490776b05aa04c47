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
}
