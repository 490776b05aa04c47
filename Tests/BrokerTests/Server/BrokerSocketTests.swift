import BrokerClient
import CurlClient
import Encodings
import Foundation
import Machine
import Messages
import Secrets
import TestParties
import TestServers
import TestSupport
import Testing

@testable import Broker

@Suite("The broker's socket", .timeLimit(.minutes(3)))
struct BrokerSocketTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.appending("own/broker.sock") }

    init() throws {
        folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "broker-\(UUID().uuidString.prefix(8))")
    }

    private func configuration(_ stage: BrokerStage, servedBy users: Set<UInt32> = [geteuid()]) -> BrokerConfiguration {
        var configuration = stage.configuration
        configuration.socket = ServedSocket(file, servedBy: users)
        return configuration
    }

    private func mode(of path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// Makes one call on a connection of its own, and returns the answer's bytes.
    private func raw(_ text: String) async -> String {
        let file = file
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                guard let connection = try? UnixSocket.connected(to: file) else {
                    return continuation.resume(returning: "not connected")
                }
                defer { close(connection) }
                send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = recv(connection, &buffer, buffer.count, 0)
                continuation.resume(returning: String(decoding: buffer[..<max(0, count)], as: UTF8.self))
            }
        }
    }

    private func get(_ path: String, token: String? = nil) -> String {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(authorization)Connection: close\r\n\r\n"
    }

    @Test("serves agent and phone as the port does, is closed to other users, and is gone after the end")
    func served() async throws {
        let stage = try BrokerStage()
        try await stage.run(configuration(stage)) { stage in
            #expect(mode(of: file.path) == 0o600)
            #expect(mode(of: file.deletingLastPathComponent().path) == 0o700)
            let agent = AgentClient(baseURL: "unix:\(file.path)", token: Secret(BrokerStage.agentToken))
            let asked = try await agent.requestStatement(month: 1, year: 2026)
            let phone = BrokerSession(
                baseURL: "unix:\(file.path)", token: Secret(BrokerStage.phoneToken), configuration: CurlConfiguration())
            let pending = try await phone.send("GET", "/phone/requests/pending")
            #expect(String(decoding: pending.body, as: UTF8.self).contains("\(asked.id)"))
            #expect(try await stage.decide(asked.id, "DENY").status == 200)
            #expect(try await agent.request(asked.id, wait: 5).status == .denied)
            await agent.close()
            await phone.close()
            #expect(await raw(get("/healthz")).hasPrefix("HTTP/1.1 200 OK"))
            #expect(await raw(get("/metrics")).hasPrefix("HTTP/1.1 200 OK"))
            #expect(await raw(get("/requests", token: "wrong")).hasPrefix("HTTP/1.1 401 "))
            #expect(try await stage.send("GET", "/requests").status == 200, "the port is there as well")
        }
        #expect(access(file.path, F_OK) != 0)
    }

    @Test("ends the connection of another user before a byte is read, and serves on")
    func foreign() async throws {
        let stage = try BrokerStage()
        try await stage.run(configuration(stage, servedBy: [geteuid() + 1])) { stage in
            for _ in 1...3 {
                let answer = await raw(get("/healthz"))
                #expect(answer.isEmpty)
            }
            let listed = try await stage.send("GET", "/requests")
            #expect(listed.status == 200)
            #expect(stage.logged.contains { $0.contains("a connection over the socket was refused") })
        }
    }

    @Test(
        "does not speak to a program of a second user, even where the file's mode lets it in",
        .enabled(if: geteuid() == 0))
    func secondUser() async throws {
        let stage = try BrokerStage()
        try await stage.run(configuration(stage)) { _ in
            chmod(folder.url.path, 0o755)
            chmod(file.deletingLastPathComponent().path, 0o755)
            chmod(file.path, 0o666)
            let outcome = try await ChildProcess.run(
                URL(filePath: "/usr/bin/setpriv"),
                [
                    "--reuid=64104", "--regid=64104", "--clear-groups", "/usr/bin/curl", "--silent", "--unix-socket",
                    file.path, "http://localhost/healthz",
                ])
            #expect(outcome.status != 0 && outcome.output.isEmpty, "\(outcome.text)")
            #expect(await raw(get("/healthz")).hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test("takes the place of a socket that a killed broker left, and of one that another program has made")
    func replaced() async throws {
        try PrivateFolder.make(file.deletingLastPathComponent())
        close(try UnixSocket.bound(to: file))
        let stage = try BrokerStage()
        try await stage.run(configuration(stage)) { _ in
            #expect(await raw(get("/healthz")).hasPrefix("HTTP/1.1 200 OK"))
        }
        let squatter = try LocalServer(at: file)
        defer { squatter.end() }
        let again = try BrokerStage()
        try await again.run(configuration(again)) { _ in
            #expect(await raw(get("/healthz")).hasPrefix("HTTP/1.1 200 OK"))
        }
        #expect(squatter.connections == 0)
    }

    @Test("is served at the longest path that is accepted")
    func longest() async throws {
        let name = String(repeating: "x", count: 103 - folder.url.path.utf8.count - 1)
        let socket = ServedSocket(folder.appending(name))
        #expect(socket.hasRoom && socket.file.path.utf8.count == 103)
        let stage = try BrokerStage()
        var configuration = self.configuration(stage)
        configuration.socket = socket
        try await stage.run(configuration) { _ in
            let agent = AgentClient(baseURL: "unix:\(socket.file.path)", token: Secret(BrokerStage.agentToken))
            _ = try await agent.banks()
            await agent.close()
        }
    }

    @Test(
        "that is removed while the broker runs leaves the port until the next look, and is there again after the next start"
    )
    func removed() async throws {
        for _ in 1...2 {
            let stage = try BrokerStage()
            var configuration = self.configuration(stage)
            configuration.socketLook = .seconds(3600)
            try await stage.run(configuration) { [configuration] stage in
                let port = try #require(stage.port)
                let address = "http://127.0.0.1:\(port)"
                let agent = AgentClient(
                    baseURL: address, token: Secret(BrokerStage.agentToken), sockets: [address: ServedSocket(file)])
                _ = try await agent.banks()
                try FileManager.default.removeItem(at: file)
                _ = try await agent.banks()
                await agent.close()
                let alone = AgentClient(baseURL: "unix:\(file.path)", token: Secret(BrokerStage.agentToken))
                let error = await #expect(throws: AgentError.self) { try await alone.banks() }
                #expect(error?.message.contains("no program listens there") == true)
                await alone.close()
                var checked = configuration
                checked.port = port
                let wrong = await BrokerCheck(checked).findings().filter { !$0.isGood }
                #expect(wrong.map(\.subject) == [.socket], "\(wrong)")
                #expect(wrong.first?.text.contains(file.path) == true, "\(wrong)")
            }
        }
    }

    /// Runs a broker that looks after its socket all the time.
    private func looking(
        at port: Int = 0, _ body: @escaping @Sendable (BrokerStage) async throws -> Void
    ) async throws {
        let stage = try BrokerStage()
        var configuration = self.configuration(stage)
        configuration.socketLook = .milliseconds(5)
        configuration.port = port
        try await stage.run(configuration, body)
    }

    private func awaiting(_ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while try await !condition() {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test("that is removed with its folder is made again, as often as that happens, closed to other users as before")
    func madeAgain() async throws {
        let (squatter, port) = try LoopbackSocket.bound()
        defer { close(squatter) }
        try #require(listen(squatter, 8) == 0)
        // Without the port, nothing reaches the broker but the socket.
        try await looking(at: port) { stage in
            for _ in 1...3 {
                #expect(await raw(get("/healthz")).hasPrefix("HTTP/1.1 200 OK"))
                try FileManager.default.removeItem(at: file.deletingLastPathComponent())
                try await awaiting { await raw(get("/healthz")).hasPrefix("HTTP/1.1 200 OK") }
                #expect(mode(of: file.path) == 0o600)
                #expect(mode(of: file.deletingLastPathComponent().path) == 0o700)
            }
            let agent = AgentClient(baseURL: "unix:\(file.path)", token: Secret(BrokerStage.agentToken))
            _ = try await agent.banks()
            await agent.close()
            #expect(stage.logged.count { $0.contains("socket was removed from the disk; it is made again") } == 3)
        }
        #expect(access(file.path, F_OK) != 0)
    }

    @Test("in whose place something else lies leaves that alone, says so once, and is made again when it is moved away")
    func otherFile() async throws {
        try await looking { stage in
            let words = "something else lies where the broker's socket was"
            let aside = folder.appending("aside")
            try Data("mine".utf8).write(to: aside)
            // In one step, so that the path is never free.
            #expect(rename(aside.path, file.path) == 0)
            try await awaiting { stage.logged.contains { $0.contains(words) } }
            #expect(try await stage.send("GET", "/requests").status == 200)
            #expect(rename(file.path, aside.path) == 0)
            try await awaiting { await raw(get("/healthz")).hasPrefix("HTTP/1.1 200 OK") }
            #expect(try Data(contentsOf: aside) == Data("mine".utf8))
            #expect(stage.logged.count { $0.contains(words) } == 1)
            #expect(rename(aside.path, file.path) == 0)
        }
        #expect(try Data(contentsOf: file) == Data("mine".utf8), "the end of the broker removes its own socket alone")
    }

    @Test("that cannot be made again is told with the next step, and the broker answers at its port")
    func notMadeAgain() async throws {
        try await looking { stage in
            // Other users could put a socket of their own there.
            chmod(file.deletingLastPathComponent().path, 0o777)
            try FileManager.default.removeItem(at: file)
            try await awaiting { stage.logged.contains { $0.contains("cannot be made again; start the broker again") } }
            #expect(try await stage.send("GET", "/requests").status == 200)
        }
    }

    @Test(
        "is refused where a file lies, where other users can write, and where another broker serves, each with its reason"
    )
    func refused() async throws {
        try PrivateFolder.make(file.deletingLastPathComponent())
        let socket = BrokerSocket(served: ServedSocket(file), patience: .milliseconds(20))
        try Data("mine".utf8).write(to: file)
        let plain = await #expect(throws: BrokerStartError.self) { try await socket.claim() }
        #expect(plain?.message.contains("is not a socket") == true)
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
        try FileManager.default.removeItem(at: file)

        chmod(file.deletingLastPathComponent().path, 0o777)
        let open = await #expect(throws: BrokerStartError.self) { try await socket.claim() }
        #expect(open?.message.contains("chmod go-w") == true)
        chmod(file.deletingLastPathComponent().path, 0o700)

        let lock = try await socket.claim()
        let second = await #expect(throws: BrokerStartError.self) { try await socket.claim() }
        #expect(second?.message.contains("another process serves") == true)
        withExtendedLifetime(lock) {}
    }

    @Test("that cannot be made leaves the broker at its port alone, which it then needs")
    func unmade() async throws {
        // One byte more than is taken: the system's refusal on a disk without sockets comes at the same place.
        let name = String(repeating: "x", count: 104 - folder.url.path.utf8.count - 1)
        let socket = ServedSocket(folder.appending(name))
        let stage = try BrokerStage()
        var configuration = self.configuration(stage)
        configuration.socket = socket
        try await stage.run(configuration) { stage in
            #expect(!socket.isThere)
            let status = try await stage.send("GET", "/requests").status
            #expect(status == 200)
            #expect(stage.logged.contains { $0.contains(BrokerService.portAlone) })
        }
        let (squatter, port) = try LoopbackSocket.bound()
        defer { close(squatter) }
        try #require(listen(squatter, 8) == 0)
        configuration.port = port
        let taken = configuration
        let error = await #expect(throws: BrokerStartError.self) { try await stage.run(taken) { _ in } }
        #expect(error?.message.contains("port \(port) is in use") == true)
    }

    @Test("is what the check asks, which takes no program at the port for the broker without its proof")
    func checked() async throws {
        let (descriptor, port) = try LoopbackSocket.bound()
        let squatter = try LoopbackListener(descriptor)
        defer { squatter.stop() }
        squatter.accept { connection in
            let answer = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while recv(connection, &buffer, buffer.count, 0) > 0 {
                guard send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
            }
        }
        let stage = try BrokerStage()
        var configuration = self.configuration(stage)
        configuration.port = port
        let known = configuration
        try await stage.run(known) { _ in
            let findings = await BrokerCheck(known).findings()
            #expect(findings.first?.text.contains("unix:\(file.path)") == true, "\(findings)")
            let wrong = findings.filter { !$0.isGood }
            #expect(wrong.map(\.subject) == [.port], "\(findings)")
            #expect(wrong.first?.text.contains("answers 401 and did not prove") == true, "\(findings)")
        }
    }

    @Test("that a killed broker left is not named by the check when the port answers")
    func checkedBesideLeftSocket() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try PrivateFolder.make(file.deletingLastPathComponent())
            close(try UnixSocket.bound(to: file))
            var configuration = self.configuration(stage)
            configuration.port = try #require(stage.port)
            let findings = await BrokerCheck(configuration).findings()
            #expect(!findings.contains { !$0.isGood }, "\(findings)")
            #expect(findings.first?.text.contains("answer at http://127.0.0.1:") == true, "\(findings)")
            #expect(!findings.contains { $0.subject == .port }, "\(findings)")
        }
    }

    @Test("keeps a broker of this machine working whose port another program has")
    func squatted() async throws {
        let (squatter, port) = try LoopbackSocket.bound()
        defer { close(squatter) }
        try #require(listen(squatter, 8) == 0)
        let stage = try BrokerStage()
        var configuration = self.configuration(stage)
        configuration.port = port
        try await stage.run(configuration) { stage in
            #expect(stage.port == 0)
            let agent = AgentClient(baseURL: "unix:\(file.path)", token: Secret(BrokerStage.agentToken))
            _ = try await agent.requestStatement(month: 1, year: 2026)
            await agent.close()
            #expect(stage.logged.contains { $0.contains(BrokerService.socketAlone) })
        }
        // Phones elsewhere need the port.
        configuration.endpoint = "https://broker.example"
        let elsewhere = configuration
        let error = await #expect(throws: BrokerStartError.self) { try await stage.run(elsewhere) { _ in } }
        #expect(error?.message.contains("port \(port) is in use") == true)
        configuration.endpoint = nil
        configuration.socket = nil
        let portAlone = configuration
        await #expect(throws: BrokerStartError.self) { try await stage.run(portAlone) { _ in } }
    }

    @Test("counts what comes without a right token apart from what strangers send to the port")
    func counted() async throws {
        let stage = try BrokerStage()
        var configuration = self.configuration(stage)
        configuration.limits.rates.wrongTokensPerMinute = 3
        configuration.limits.rates.pairingBurst = 1
        configuration.limits.rates.pairingPerSecond = 0.01
        try await stage.run(configuration) { stage in
            _ = try await stage.send("GET", "/requests", as: .stranger)
            #expect(try await stage.send("GET", "/requests", as: .stranger).status == 429)
            #expect(await raw(get("/requests", token: "wrong")).hasPrefix("HTTP/1.1 401 "))
            _ = try await stage.send("POST", "/pairing/17/begin", as: .nobody, [:])
            #expect(try await stage.send("POST", "/pairing/17/begin", as: .nobody, [:]).status == 429)
            let begun = await raw(
                "POST /pairing/17/begin HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 2\r\n\r\n{}")
            #expect(begun.hasPrefix("HTTP/1.1 4") && !begun.hasPrefix("HTTP/1.1 429 "), "\(begun)")
        }
    }
}
