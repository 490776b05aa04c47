import CurlClient
import Foundation
import Testing

@Suite("A session's thread")
struct SessionThreadTests {
    private var thread: String { String(describing: pthread_self()) }

    @Test("runs the tasks that prefer it, and makes their exchanges")
    func preference() async throws {
        let server = try RawServer { head, _ in .ok(String(head.prefix(6))) }
        defer { server.stop() }
        // More than there are processors, so they cannot all be the pool's threads.
        let sessions = (0..<64).map { _ in CurlSession() }
        let threads = try await withThrowingTaskGroup(of: String.self) { group in
            for session in sessions {
                group.addTask(executorPreference: session.executor) {
                    let own = thread
                    for number in 0..<3 {
                        let answer = try await session.send(HTTPRequest("GET", "\(server.url)/\(number)"))
                        #expect(String(decoding: answer.body, as: UTF8.self) == "GET /\(number)".prefix(6))
                        #expect(thread == own)
                    }
                    #expect(await session.cookies().isEmpty)
                    return own
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(threads.count == sessions.count && server.connections == sessions.count)
        for session in sessions { await session.close() }
    }

    #if os(Linux)
        @Test("shows its name in the process list")
        func name() async throws {
            let session = CurlSession()
            let name = Task(executorPreference: session.executor) {
                try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            }
            #expect(try await name.value == "curl session\n")
            await session.close()
        }

        @Test("serves a later session when its own has ended")
        func reuse() async throws {
            var threads: Set<String> = []
            for _ in 0..<50 {
                let session = CurlSession()
                let thread = Task(executorPreference: session.executor) {
                    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
                }
                threads.insert(try await thread.value)
                await session.close()
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(threads.count < 50)
        }
    #endif

    @Test("runs other tasks while an answer is awaited", .timeLimit(.minutes(3)))
    func turns() async throws {
        let server = try RawServer { _, _ in .silence }
        defer { server.stop() }
        let session = CurlSession()
        let error = await withTaskExecutorPreference(session.executor) {
            let own = thread
            return await withTaskGroup(of: (any Error)?.self) { group in
                group.addTask {
                    do {
                        _ = try await session.send(HTTPRequest("GET", server.url))
                        return nil
                    } catch {
                        return error
                    }
                }
                // The group's own task continues on the thread that waits for the bank.
                for _ in 0..<100 { await Task.yield() }
                try? await Task.sleep(for: .milliseconds(30))
                #expect(thread == own)
                group.cancelAll()
                return await group.next() ?? nil
            }
        }
        #expect((error as? CurlError)?.code == .cancelled)
        await session.close()
    }

    @Test("lets a task that prefers it continue after the session is closed", .timeLimit(.minutes(3)))
    func afterwards() async throws {
        let server = try RawServer { _, _ in .ok("x") }
        defer { server.stop() }
        let session = CurlSession()
        let steps = try await withTaskExecutorPreference(session.executor) {
            _ = try await session.send(HTTPRequest("GET", server.url))
            await session.close()
            var steps = 0
            for _ in 0..<50 {
                await Task.yield()
                steps += 1
            }
            return await withTaskGroup(of: Int.self) { group in
                for _ in 0..<10 { group.addTask { 1 } }
                return await group.reduce(steps, +)
            }
        }
        #expect(steps == 60)
        await #expect(throws: CurlError.self) { try await session.send(HTTPRequest("GET", server.url)) }
    }

    @Test("a task continues when its session is closed before the first exchange", .timeLimit(.minutes(3)))
    func unused() async {
        let session = CurlSession()
        await session.close()
        let answer = await withTaskExecutorPreference(session.executor) {
            await Task.yield()
            return 42
        }
        #expect(answer == 42)
    }

    @Test("accepts tasks from many threads while the session closes", .timeLimit(.minutes(3)))
    func crowd() async throws {
        let server = try RawServer { _, _ in .ok("x") }
        defer { server.stop() }
        for _ in 0..<10 {
            let session = CurlSession()
            let finished = await withTaskGroup(of: Int.self) { group in
                for number in 0..<16 {
                    group.addTask(executorPreference: session.executor) {
                        if number == 12 { await session.close() }
                        _ = try? await session.send(HTTPRequest("GET", server.url))
                        await Task.yield()
                        return 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(finished == 16)
            await session.close()
        }
    }
}
