import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Machine

@Suite("A lock between processes", .timeLimit(.minutes(3)))
struct FileLockTests {
    @Test("is one holder's at a time, and the next one's after it")
    func one() throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("lock")
        var held = try FileLock(file)
        #expect(held != nil)
        #expect(try FileLock(file) == nil)
        withExtendedLifetime(held) {}
        held = nil
        // A process that is being started holds a copy of the lock for a moment.
        #expect(try FileLock(file, patience: .seconds(20)) != nil)
    }

    @Test("closes no file but its own when another holder keeps it")
    func others() async throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("lock")
        let held = try FileLock(file)
        let lost = Mutex(0)
        // Threads that open files meanwhile get numbers that a lock has just closed.
        let done = DispatchGroup()
        for _ in 0..<8 {
            done.enter()
            Thread.detachNewThread {
                for _ in 0..<10_000 {
                    let isRefused = (try? FileLock(file) == nil) == true
                    let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
                    if !isRefused || close(other) != 0 { lost.withLock { $0 += 1 } }
                }
                done.leave()
            }
        }
        try await BlockingWork.run { done.wait() }
        #expect(lost.withLock { $0 } == 0)
        withExtendedLifetime(held) {}
    }
}
