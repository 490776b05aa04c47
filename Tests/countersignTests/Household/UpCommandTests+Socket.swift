import Broker
import Encodings
import Foundation
import Synchronization
import TestServers
import TestSupport
import Testing

extension UpCommandTests {
    private static func household() throws -> HouseholdProcess {
        try HouseholdProcess(in: URL(filePath: "/tmp"), named: "up-\(UUID().uuidString.prefix(8))")
    }

    private static func port(of household: HouseholdProcess) throws -> Int {
        let file = try JSONReader.read(Data(contentsOf: household.config))
        return try #require(file["broker"]?["port"]?.intValue)
    }

    @Test(
        "works over the broker's socket while another program has its port, which hears of no token and no request",
        .timeLimit(.minutes(4)))
    func squatted() async throws {
        let household = try Self.household()
        let (first, told) = try await household.up()
        let socket = household.data.appending(path: "broker/broker.sock").path
        #expect(told["socket"]?["message"]?.stringValue?.contains(socket) == true, "\(told)")
        #expect(told["warning"]?["message"]?.stringValue?.contains("another program has port") != true)
        let port = try Self.port(of: household)
        let shown = try await household.run("status")
        #expect(shown.output.contains("http://127.0.0.1:\(port), and for your programs"), "\(shown)")
        #expect(try await household.run("up", "--stop").status == 0)
        #expect(try await first.status() == 0)
        #expect(access(socket, F_OK) != 0)

        let squatter = try Squatter(port: port)
        defer { squatter.end() }
        let (second, events) = try await household.up()
        let warned = events.values.contains {
            $0["message"]?.stringValue?.contains("another program has port \(port)") == true
        }
        #expect(warned, "\(events)")
        let status = try await household.run("status")
        #expect(status.status == 0, "\(status)")
        #expect(
            status.output.contains("its socket \(socket) alone, because another program has port \(port)"), "\(status)")
        #expect(!status.output.contains("http://127.0.0.1:\(port)"), "\(status)")
        let asked = try await household.run("request", "2026-01", "--json")
        #expect(asked.status == 0, "\(asked)")
        let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue)
        try await approve(id, on: household, events)
        try await household.awaitStatement()
        #expect(squatter.heard.isEmpty, "\(squatter.heard)")

        // A look at the port itself finds another program there.
        let doctor = try await household.run("doctor", "--json")
        #expect(doctor.output.contains("BROKER_PORT_TAKEN"), "\(doctor)")
        let token = try String(contentsOf: household.data.appending(path: "agent.token"), encoding: .utf8).dropLast()
        #expect(!squatter.heard.contains(token))
        second.signal(SIGTERM)
        #expect(try await second.status() == 0)
    }

    @Test(
        "an assistant's program gets the web address, in whose place it uses the socket, and may name the socket itself",
        .timeLimit(.minutes(3)))
    func assistants() async throws {
        let household = try Self.household()
        let (program, _) = try await household.up()
        let (port, socket) = (try Self.port(of: household), household.data.appending(path: "broker/broker.sock").path)
        let entry = try await household.run("agent", "add", "claude-code", "--print", "--json")
        #expect(entry.status == 0 && entry.output.contains("http://127.0.0.1:\(port)"), "\(entry)")
        #expect(!entry.output.contains("unix:"), "\(entry)")
        let token = household.data.appending(path: "agent.token").path
        for address in ["unix:\(socket)", "http://127.0.0.1:\(port)"] {
            let answer = try await self.listed(over: address, token, household)
            #expect(answer["isError"] != true, "\(address): \(answer)")
        }
        #expect(try await household.run("up", "--stop").status == 0)
        #expect(try await program.status() == 0)
        let stopped = try await listed(over: "unix:\(socket)", token, household)
        #expect(stopped.compactText().contains("cannot be reached: no program listens there"), "\(stopped)")
    }

    private func listed(over address: String, _ token: String, _ household: HouseholdProcess) async throws -> JSONValue
    {
        let program = try Program(
            ["agent", "mcp", "--broker", address, "--token-file", token], environment: household.environment)
        try program.write(
            #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_requests","arguments":{},"_meta":{"#
                + #""io.modelcontextprotocol/protocolVersion":"2026-07-28","#
                + #""io.modelcontextprotocol/clientCapabilities":{}}}}"#)
        program.endInput()
        #expect(try await program.status() == 0)
        let end = ContinuousClock.now + .seconds(30)
        while !program.printed.contains("\n") {
            try #require(ContinuousClock.now < end, "\(program.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
        return try #require(JSONReader.read(program.printed)["result"])
    }

    @Test("whose path is too long for a socket works over its port, and says so", .timeLimit(.minutes(3)))
    func longPath() async throws {
        let household = try HouseholdProcess(
            in: URL(filePath: "/tmp"), named: "up-\(UUID().uuidString)-" + String(repeating: "x", count: 60))
        let (program, events) = try await household.up()
        #expect(events["socket"]?["message"]?.stringValue?.contains("too long for a socket") == true, "\(events)")
        #expect(try await household.run("requests").status == 0)
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    #if os(Linux)
        @Test(
            "on a disk that takes no sockets fetches over its port, says so in each place, and has its socket on another disk",
            .enabled("no program may refuse another one sockets here", SocketlessDisk.isPossible),
            .timeLimit(.minutes(4)))
        func socketless() async throws {
            let household = try Self.household()
            let program = try Program(
                ["up", "--no-open", "--json", "--bank", "mock"], environment: household.environment,
                through: SocketlessDisk.launcher)
            let events = try await household.events(of: program, until: "ready")
            let port = try Self.port(of: household)
            let socket = household.data.appending(path: "broker/broker.sock").path
            #expect(
                events["socket"]?["message"]?.stringValue?.contains(
                    "the disk of the household's folder takes no socket")
                    == true, "\(events)")
            #expect(
                events["broker"]?["message"]?.stringValue?.contains("http://127.0.0.1:\(port)") == true, "\(events)")
            #expect(events["warning"]?["message"]?.stringValue?.contains("another program has port") != true)
            let log = try String(contentsOf: household.data.appending(path: "logs/broker.log"), encoding: .utf8)
            #expect(log.contains(BrokerService.portAlone) && log.contains("Operation not permitted"), "\(log)")

            let status = try await household.run("status")
            #expect(
                status.status == 0 && status.output.contains("http://127.0.0.1:\(port), and not at its socket"),
                "\(status)")
            let doctor = try await household.run("doctor", "--json")
            #expect(doctor.output.contains("BROKER_SOCKET_MISSING"), "\(doctor)")
            let asked = try await household.run("request", "2026-01", "--json")
            let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue, "\(asked)")
            try await approve(id, on: household, events)
            try await household.awaitStatement()
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)

            let (again, told) = try await household.up()
            #expect(told["socket"]?["message"]?.stringValue?.contains(socket) == true, "\(told)")
            #expect(try await !household.run("doctor", "--json").output.contains("BROKER_SOCKET_MISSING"))
            again.signal(SIGTERM)
            #expect(try await again.status() == 0)
        }
    #endif

    @Test("starts beside the socket of a broker that was killed", .timeLimit(.minutes(3)))
    func leftSocket() async throws {
        let household = try Self.household()
        let (first, _) = try await household.up()
        let running = try JSONReader.read(Data(contentsOf: household.data.appending(path: "running.json")))
        // The first is the program that started the others: it goes last, because the broker ends in good order without it.
        for id in (running.arrayValue ?? []).compactMap({ $0["pid"]?.intValue }).reversed() {
            kill(Int32(id), SIGKILL)
        }
        _ = try await first.status()
        #expect(access(household.data.appending(path: "broker/broker.sock").path, F_OK) == 0)
        let (second, _) = try await household.up()
        #expect(try await household.run("requests").status == 0)
        second.signal(SIGTERM)
        #expect(try await second.status() == 0)
    }
}

/// Another program at the broker's port, which writes down what it hears.
private final class Squatter: Sendable {
    private let listener: LoopbackListener
    private let text = Mutex("")

    init(port: Int) throws {
        listener = try LoopbackListener(LoopbackSocket.bound(to: port, makesRoom: true).descriptor)
        listener.accept { [self] connection in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(connection, &buffer, buffer.count, 0)
            text.withLock { $0 += String(decoding: buffer[..<max(0, count)], as: UTF8.self) }
        }
    }

    var heard: String { text.withLock { $0 } }

    func end() { listener.stop() }
}
