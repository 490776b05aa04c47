#if os(Linux)
    import Encodings
    import Foundation
    import TestSupport
    import Testing

    @testable import Machine

    @Suite("A fenced process", .timeLimit(.minutes(1)))
    struct FencedProcessTests {
        private static func start(_ command: [String]) async throws -> FencedProcess {
            try await BlockingWork.run {
                try FencedProcess(
                    command, within: .network, environment: [:], limits: CallLine.Limits(bytes: 1 << 10),
                    onTell: { _, _ in }, onCall: { (_, message) in message })
            }
        }

        /// A frame as a shell prints it: a length of four bytes, then the text.
        private static func frame(_ text: String) -> String {
            "printf '\\000\\000\\000\\\(String(text.utf8.count, radix: 8))%s' '\(text)' >&0"
        }

        @Test(
            "that fails at its start is named in one clear error",
            arguments: [
                ("kill -9 $$", "signal 9"), ("exit 3", "status 3"),
                (frame("{\"problem\":\"landlock: denied\"}") + "; exec /bin/sleep 600", "landlock: denied"),
                (frame("{\"landlock\":-1}") + "; exec /bin/sleep 600", "it does not say which files"),
                (frame("[]") + "; exec /bin/sleep 600", "it does not say which files"),
            ])
        func failures(script: String, words: String) async throws {
            let error = await #expect(throws: FencedProcessError.self) {
                try await Self.start(["/bin/sh", "-c", script])
            }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }

        @Test("cannot be started where its program is missing")
        func missing() async throws {
            await #expect(throws: FencedProcessError.self) { try await Self.start(["/nonexistent/countersign"]) }
        }

        @Test("has its line ended with it, and ends with its parent's object")
        func ends() async throws {
            let hello = Self.frame("{\"landlock\":0}")
            var process: FencedProcess? = try await Self.start(["/bin/sh", "-c", "\(hello); exec /bin/sleep 600"])
            let id = try #require(process?.id)
            let line = try #require(process?.line)
            process = nil
            await line.ended()
            while kill(id, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }

        @Test("is over when it is killed, though a process that it started in another session has its line open")
        func killed() async throws {
            let hello = Self.frame("{\"landlock\":0}")
            let process = try await Self.start([
                "/bin/sh", "-c", "\(hello); setsid /bin/sh -c 'exec sleep 20' <&0 & wait",
            ])
            let began = ContinuousClock.now
            process.kill()
            await process.line.ended()
            #expect(ContinuousClock.now - began < .seconds(10))
        }

        @Test("has no terminal of its parent's")
        func session() async throws {
            let hello = Self.frame("{\"landlock\":0}")
            let process = try await Self.start(["/bin/sh", "-c", "\(hello); exec /bin/sleep 600"])
            #expect(getsid(process.id) == process.id)
            _ = process.end()
        }

        @Test("names its files in one form for both processes")
        func fence() {
            let fence = FileFence.network + FileFence(reads: ["/a"], runs: ["/b"], changes: ["/c"])
            #expect(FileFence((fence + .programs).json)?.opensLocalSockets == true && !fence.opensLocalSockets)
            #expect(FileFence(fence.json) == fence)
            #expect(FileFence(["reads": ["a"], "runs": [], "changes": []]) == nil, "a path is absolute")
            #expect(FileFence(["reads": [], "runs": []]) == nil)
            #expect(FileFence([1]) == nil)
        }
    }
#endif
