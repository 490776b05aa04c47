import Encodings
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Machine

/// A server on a socket of its own, for as long as a test needs it.
private struct Stage {
    let folder: TemporaryFolder
    var socket: URL { folder.appending("calls.sock") }
    let reports = Reports()

    init() throws {
        folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "sockets-\(UUID().uuidString.prefix(8))")
    }

    /// Runs `body` while the server runs, and stops the server.
    func run(
        for users: Set<UInt32> = [geteuid()], limits: ProcessSocketServer.Limits = .init(),
        _ handler: @escaping ProcessSocketServer.Handler = { $0.params },
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let reports = reports
        let server = ProcessSocketServer(
            at: socket, for: users, limits: limits, reporting: { reports.add($0) }, handler)
        let (ready, report) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { report.finish() }
                try await server.run { report.yield() }
            }
            for await _ in ready { break }
            do {
                try await body()
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    func client(_ change: (inout ProcessSocketClient.Limits) -> Void = { _ in }) -> ProcessSocketClient {
        var limits = ProcessSocketClient.Limits()
        limits.start = .zero
        change(&limits)
        return ProcessSocketClient(socket, servedBy: [geteuid()], limits: limits)
    }

    /// Sends bytes as they are, and returns what comes back until the server ends the connection.
    func raw(_ bytes: [UInt8]) async throws -> [UInt8] {
        let socket = socket
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        var address = try UnixSocketAddress(socket)
                        let descriptor = try UnixSocketAddress.makeSocket()
                        defer { close(descriptor) }
                        _ = fcntl(descriptor, F_SETFL, 0)
                        try #require(address.withAddress { connect(descriptor, $0, $1) } == 0)
                        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                        var answer: [UInt8] = []
                        var chunk = [UInt8](repeating: 0, count: 4096)
                        while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 {
                            answer += chunk.prefix(count)
                        }
                        return answer
                    })
            }
        }
    }

    static func frame(_ text: String) -> [UInt8] {
        withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { Array($0) } + Array(text.utf8)
    }
}

private final class Reports: Sendable {
    private let all = Mutex<[any Error]>([])

    func add(_ error: any Error) { all.withLock { $0.append(error) } }
    var errors: [ProcessSocketError] { all.withLock { $0.compactMap { $0 as? ProcessSocketError } } }
}

@Suite("Calls between processes", .timeLimit(.minutes(4))) struct ProcessSocketTests {
    @Test("a call gets the answer to it, also beside others")
    func calls() async throws {
        let stage = try Stage()
        let handler: ProcessSocketServer.Handler = { call in ["method": .string(call.method), "params": call.params] }
        try await stage.run(handler) {
            let client = stage.client { $0.start = .seconds(20) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let answer = try await client.call("method \(number)", ["n": .number(Double(number))])
                        #expect(
                            answer == ["method": .string("method \(number)"), "params": ["n": .number(Double(number))]])
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(stage.reports.errors.isEmpty)
    }

    @Test("the frames are those of the interface: four bytes of length, then JSON")
    func frames() async throws {
        let stage = try Stage()
        var limits = ProcessSocketServer.Limits()
        limits.idle = .seconds(1)
        let handler: ProcessSocketServer.Handler = { _ in ["ok": true] }
        try await stage.run(limits: limits, handler) {
            let call = #"{"id":"7","method":"m","params":{"connector_id":"c","user_id":"u"}}"#
            let answer = try await stage.raw(Stage.frame(call))
            #expect(answer == Stage.frame(#"{"id":"7","result":{"ok":true}}"#))
        }
    }

    @Test("the socket is closed to others, and gone after the end")
    func mode() async throws {
        let stage = try Stage()
        try await stage.run {
            var status = stat()
            #expect(lstat(stage.socket.path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(status.st_mode & S_IFMT == S_IFSOCK)
        }
        #expect(access(stage.socket.path, F_OK) != 0)
        #expect(await !stage.client().isServed())
    }

    @Test("a peer of a user who is not expected is turned away, before its call is read")
    func foreign() async throws {
        let stage = try Stage()
        let handler: ProcessSocketServer.Handler = { _ in
            Issue.record("the call was handled")
            return [:]
        }
        try await stage.run(for: [geteuid() + 1], handler) {
            let answer = try await stage.raw(Stage.frame(#"{"id":"1","method":"m"}"#))
            #expect(answer.isEmpty)
        }
        #expect(stage.reports.errors == [.foreignUser(geteuid())])
    }

    @Test("a client does not speak to a socket that another user serves")
    func squatter() async throws {
        let stage = try Stage()
        try await stage.run {
            let client = ProcessSocketClient(stage.socket, servedBy: [geteuid() + 1])
            await #expect(throws: ProcessSocketError.foreignUser(geteuid())) { try await client.call("m") }
            #expect(await !client.isServed())
        }
    }

    @Test(
        "a frame that is not a call is answered with why, and ends the connection",
        arguments: [
            "", "{", "[]", #"{"id":"1"}"#, #"{"method":"m"}"#, #"{"id":1,"method":"m"}"#,
            #"{"id":"1","method":"m","params":[]}"#, #"{"id":"1","method":"m","more":1}"#, #"{"id":"","method":"m"}"#,
            #"{"id":"1","method":"m","method":"n"}"#,
            #"{"id":"1","method":"m","params":{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}}}}"#,
        ])
    func malformed(_ text: String) async throws {
        let stage = try Stage()
        let handler: ProcessSocketServer.Handler = { _ in
            Issue.record("the call was handled")
            return [:]
        }
        try await stage.run(handler) {
            let answer = try await stage.raw(Stage.frame(text))
            #expect(String(decoding: answer.dropFirst(4), as: UTF8.self).contains("INVALID_FRAME"))
        }
        #expect(stage.reports.errors.count == 1)
    }

    @Test("a frame of more bytes than allowed is refused by its length alone")
    func large() async throws {
        let stage = try Stage()
        var limits = ProcessSocketServer.Limits()
        limits.frame = 1000
        try await stage.run(limits: limits) {
            let answer = try await stage.raw([0xFF, 0xFF, 0xFF, 0xFF])
            #expect(String(decoding: answer.dropFirst(4), as: UTF8.self).contains("more than 1000 bytes"))
            let client = stage.client { $0.frame = 1000 }
            let long = JSONValue.string(String(repeating: "x", count: 1000))
            await #expect(throws: ProcessSocketError.tooLarge(limit: 1000)) { try await client.call("m", ["a": long]) }
        }
    }

    @Test("a silent connection, and one that stops within a frame, end in their time")
    func silent() async throws {
        let stage = try Stage()
        var limits = ProcessSocketServer.Limits()
        limits.idle = .milliseconds(200)
        limits.frameTime = .milliseconds(200)
        try await stage.run(limits: limits) {
            for part: [UInt8] in [[], [0, 0], [0, 0, 0, 9, 1]] {
                let answer = try await stage.raw(part)
                #expect(answer.isEmpty)
            }
            // On a busy machine the limits end some calls too.
            let end = ContinuousClock.now + .seconds(60)
            var answer: JSONValue?
            while answer == nil {
                try #require(ContinuousClock.now < end)
                answer = try? await stage.client().call("m", ["a": 1])
            }
            #expect(answer == ["a": 1])
        }
    }

    @Test("connections beyond the limit wait for their turn, and none is dropped")
    func crowd() async throws {
        let stage = try Stage()
        var limits = ProcessSocketServer.Limits()
        limits.connections = 2
        let atOnce = Mutex((now: 0, most: 0))
        let handler: ProcessSocketServer.Handler = { _ in
            atOnce.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            try await Task.sleep(for: .milliseconds(5))
            atOnce.withLock { $0.now -= 1 }
            return [:]
        }
        try await stage.run(limits: limits, handler) {
            let client = stage.client { $0.start = .seconds(30) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<60 { group.addTask { _ = try await client.call("m") } }
                try await group.waitForAll()
            }
        }
        #expect(atOnce.withLock { $0.most } == 2)
    }

    @Test("a refusal has its code; another failure shows nothing of itself")
    func failures() async throws {
        let stage = try Stage()
        let handler: ProcessSocketServer.Handler = { call in
            if call.method == "refuse" { throw ProcessRefusal("NOT_NOW", "later") }
            throw ProcessSocketError.malformed("internals")
        }
        try await stage.run(handler) {
            await #expect(throws: ProcessSocketError.refused(code: "NOT_NOW", message: "later")) {
                try await stage.client().call("refuse")
            }
            let error = await #expect(throws: ProcessSocketError.self) { try await stage.client().call("fail") }
            #expect(error?.description.contains("INTERNAL_ERROR") == true)
            #expect(error?.description.contains("internals") == false)
        }
        #expect(stage.reports.errors == [.malformed("internals")])
    }

    @Test("a handler that takes too long is cancelled, and the caller is told")
    func slow() async throws {
        let stage = try Stage()
        var limits = ProcessSocketServer.Limits()
        limits.call = .milliseconds(100)
        let (cancelled, report) = AsyncStream<Void>.makeStream()
        let handler: ProcessSocketServer.Handler = { _ in
            do { try await Task.sleep(for: .seconds(600)) } catch { report.finish() }
            return [:]
        }
        try await stage.run(limits: limits, handler) {
            let error = await #expect(throws: ProcessSocketError.self) { try await stage.client().call("m") }
            guard case .refused("TOO_SLOW", _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            for await _ in cancelled {}
        }
    }

    @Test("a cancelled call ends at once, and so does a server with a call under way")
    func cancelled() async throws {
        let stage = try Stage()
        let (started, report) = AsyncStream<Void>.makeStream()
        let handler: ProcessSocketServer.Handler = { _ in
            report.yield()
            try await Task.sleep(for: .seconds(600))
            return [:]
        }
        try await stage.run(handler) {
            let client = stage.client()
            let call = Task { try await client.call("m") }
            var calls = started.makeAsyncIterator()
            await calls.next()
            call.cancel()
            await #expect(throws: ProcessSocketError.self) { try await call.value }
            // The next one is under way when the server ends.
            Task { try await client.call("m") }
            await calls.next()
        }
    }

    @Test("a second server waits for the first one's end, and gives up after its time")
    func second() async throws {
        let stage = try Stage()
        try await stage.run {
            var limits = ProcessSocketServer.Limits()
            limits.takeover = .milliseconds(100)
            let other = ProcessSocketServer(at: stage.socket, for: [geteuid()], limits: limits) { _ in [:] }
            await #expect(throws: ProcessSocketError.alreadyServed(stage.socket.path)) { try await other.run() }
        }
        // A socket that a killed process left is replaced.
        try Data().write(to: stage.socket)
        try await stage.run { #expect(await stage.client().isServed()) }
    }

    @Test("a path that is too long is refused with what helps")
    func long() async throws {
        let file = URL(filePath: "/tmp/" + String(repeating: "x", count: 110))
        let client = ProcessSocketClient(file, servedBy: [geteuid()])
        await #expect(throws: ProcessSocketError.pathTooLong(file.path)) { try await client.call("m") }
    }

    @Test("a client waits for a process that is being started, for its time")
    func starting() async throws {
        let stage = try Stage()
        let client = stage.client { $0.start = .seconds(60) }
        let call = Task { try await client.call("m", ["a": 2]) }
        try await stage.run {
            let answer = try await call.value
            #expect(answer == ["a": 2])
        }
        let error = await #expect(throws: ProcessSocketError.self) { try await stage.client().call("m") }
        guard case .unavailable? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
