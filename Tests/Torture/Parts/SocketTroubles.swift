import BrokerClient
import Foundation
import Machine
import Messages
import MockBank
import Secrets
import TestServers

/// Takes the broker's socket away, puts other things and other programs in its place, fills its queue, and kills the broker
/// while an agent waits at it. Agent and phone of a household use the socket in the place of the port.
///
/// Wherever no program of this user serves the socket, both go on at the port, and no byte goes to another user's program.
/// No request may be lost, and no bank may have a sign-in too many.
struct SocketTroubles {
    let extent: Extent

    private enum Trouble: CaseIterable {
        /// The file is deleted.
        case removed
        /// A plain file lies in its place.
        case plainFile
        /// A socket without a program behind it, as a killed one leaves it.
        case unserved
        /// A program of another user serves it.
        case otherUser
        /// A program of this user serves it, and ends every connection.
        case otherProgram
        /// The broker takes no connection for a while, and so many wait that the system refuses more.
        case full
        /// The broker is killed while an agent waits for its answer.
        case killed

        /// True where the household's programs are to go on before the trouble is over.
        var leavesPort: Bool {
            switch self {
            case .removed, .plainFile, .unserved, .otherUser: true
            case .otherProgram, .full, .killed: false
            }
        }
    }

    private static let limits = ["BROKER_APPROVAL_TTL_SECONDS": "60", "BROKER_EXECUTION_TIMEOUT_SECONDS": "40"]

    func run() async throws -> Tally {
        let visits = BankVisits()
        return try await Stage.withPhone {
            $0.onRequest = { visits.note($0, $1) }
        } _: { stage, bank in
            let socket = ServedSocket(stage.socket)
            guard socket.hasRoom else { return .leftOut(socket.lackOfRoom) }
            var row = Tally()
            var broker = try await start(stage)
            let phone = try stage.phone(bank: bank, flags: ["--socket", stage.socket.path])
            try await stage.isReady(phone)
            var troubles: [Trouble] = []
            var leftOut: Set<Trouble> = []
            while row.tried < extent.count, row.tried == 0 || !extent.isOver {
                if troubles.isEmpty { troubles = Trouble.allCases.shuffled() }
                let trouble = troubles.removeLast()
                guard trouble != .otherUser || geteuid() == 0 else {
                    leftOut.insert(trouble)
                    continue
                }
                row.tried += 1
                let round = try await round(trouble, stage, broker)
                row.addFaults(of: round.row)
                broker = round.broker
                if round.row.hasNoFault { row.survived += 1 }
            }
            await phone.killed()
            await broker.stopped()
            if FileManager.default.fileExists(atPath: stage.socket.path) {
                row.fault("the broker left its socket behind")
            }
            let runs = try Books(stage: stage).requests("request.executing", stage.home.database)
            if visits.signIns > runs.count { row.double("\(visits.signIns) sign-ins for \(runs.count) runs") }
            row.add(try await Books(stage: stage).checkAll(withPhone: true))
            row.seen =
                "\(visits.signIns) sign-ins" + (leftOut.isEmpty ? "" : "; without another user, which needs root")
            return row
        }
    }

    private func start(_ stage: Stage) async throws -> Child {
        let broker = try stage.quickBroker(
            stability: 40, Self.limits.merging(["BROKER_SOCKET": stage.socket.path]) { $1 })
        try await stage.answers(broker)
        return broker
    }

    private func round(_ trouble: Trouble, _ stage: Stage, _ broker: Child) async throws -> (row: Tally, broker: Child)
    {
        var row = Tally()
        var broker = broker
        let before = try await stage.ask()
        // At any moment of its run.
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...1500)))
        let intruder = try await make(trouble, stage, broker, before)
        var asked = [before]
        if trouble.leavesPort {
            do {
                asked.append(try await ask(stage))
                for id in asked { try await complete(id, "\(trouble)", stage, &row) }
            } catch let error as AgentError {
                row.lose("\(trouble): the port is not asked: \(error)")
            }
        }
        for words in await intruder.end() { row.lose("\(trouble): \(words)") }
        if trouble == .plainFile { try FileManager.default.removeItem(at: stage.socket) }
        if trouble != .full {
            // The next start takes the socket back from whatever lies there.
            if Bool.random() { await broker.stopped() } else { await broker.killed() }
            broker = try await start(stage)
        }
        asked.append(try await ask(stage))
        for id in asked { try await complete(id, "\(trouble), afterwards", stage, &row) }
        try await checkSocket(trouble, stage, &row)
        return (row, broker)
    }

    /// Asks as an agent of the household does, with a connection of its own.
    private func ask(_ stage: Stage) async throws -> RequestID {
        let agent = AgentClient(
            baseURL: stage.url, token: Secret(Stage.agentToken), sockets: [stage.url: ServedSocket(stage.socket)])
        do {
            let id = try await agent.requestStatement(month: Stage.period.month, year: Stage.period.year).id
            await agent.close()
            return id
        } catch {
            await agent.close()
            throw error
        }
    }

    private func complete(_ id: RequestID, _ words: String, _ stage: Stage, _ row: inout Tally) async throws {
        try await stage.end(of: id)
        let request = try await stage.agent.request(id)
        let file = request.filePath.flatMap(FileManager.default.contents(atPath:))
        if request.status != .completed || file != Stage.statement {
            row.lose("\(words): \(id.short) ended as \(request.status) \(request.errorMessage ?? "")")
        }
    }

    /// The socket alone serves again, and only its user.
    private func checkSocket(_ trouble: Trouble, _ stage: Stage, _ row: inout Tally) async throws {
        let alone = AgentClient(baseURL: "unix:\(stage.socket.path)", token: Secret(Stage.agentToken))
        do { _ = try await alone.banks() } catch {
            row.lose("\(trouble): afterwards the socket is not served: \(error)")
        }
        await alone.close()
        var status = stat()
        if lstat(stage.socket.path, &status) != 0 || status.st_mode & 0o777 != 0o600 {
            row.fault("\(trouble): afterwards the socket is open to other users, or gone")
        }
    }

    // MARK: Troubles

    /// Something in the socket's place.
    private struct Intruder {
        /// Ends it, and returns what it got that it should not have.
        var end: () async -> [String] = { [] }
    }

    private func make(
        _ trouble: Trouble, _ stage: Stage, _ broker: Child, _ waiting: RequestID
    ) async throws -> Intruder {
        let file = stage.socket
        switch trouble {
        case .removed: unlink(file.path)
        case .plainFile:
            unlink(file.path)
            try Data("not a socket".utf8).write(to: file)
        case .unserved: close(try UnixSocket.bound(to: file))
        case .otherUser: return try await otherUser(at: file)
        case .otherProgram:
            let listener = try LoopbackListener(UnixSocket.bound(to: file))
            listener.accept { _ in }
            // Long enough for several calls of the phone.
            try await Task.sleep(for: .milliseconds(500))
            return Intruder {
                listener.stop()
                unlink(file.path)
                return []
            }
        case .full: try await fill(stage, broker)
        case .killed: try await killWaiting(stage, broker, waiting)
        }
        return Intruder()
    }

    /// Starts a program of another user at the socket, which prints how many bytes each connection brought.
    private func otherUser(at file: URL) async throws -> Intruder {
        let folder = file.deletingLastPathComponent().path
        unlink(file.path)
        // It makes its socket while it may, from inside: it may not pass the folders above.
        chmod(folder, 0o777)
        let child = try Child(
            URL(filePath: "/bin/sh"),
            [
                "-c", "cd \"$1\" && exec setpriv --reuid=64104 --regid=64104 --clear-groups python3 -c \"$2\" \"$3\"",
                "sh",
                folder, Self.listening, file.lastPathComponent,
            ])
        let isThere = await eventually(within: .seconds(20)) { child.lines.contains("listens") }
        chmod(folder, 0o700)
        guard isThere else { throw Impatience(description: "no other user's program: \(child.lines.suffix(3))") }
        return Intruder {
            await child.killed()
            let heard = child.lines.filter { $0.hasPrefix("heard") }
            // Without a connection, nothing was tried.
            return heard.isEmpty ? ["the other user's program saw no connection"] : heard.filter { $0 != "heard 0" }
        }
    }

    private static let listening = """
        import socket, sys
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1])
        server.listen(64)
        print("listens", flush=True)
        while True:
            connection, _ = server.accept()
            print("heard", len(connection.recv(65536)), flush=True)
            connection.close()
        """

    /// Stops the broker's process, and connects until the system takes no more. An agent that asks meanwhile has its answer
    /// once the broker goes on.
    private func fill(_ stage: Stage, _ broker: Child) async throws {
        broker.signal(SIGSTOP)
        var open: [Int32] = []
        // The system lets a connection wait where the queue is full, and a caller that does not wait is refused.
        while let descriptor = try? UnixSocket.connected(to: stage.socket, waits: false) { open.append(descriptor) }
        async let asked = ask(stage)
        try await Task.sleep(for: .milliseconds(Int.random(in: 200...1500)))
        broker.signal(SIGCONT)
        for descriptor in open { close(descriptor) }
        _ = try await asked
    }

    /// Kills the broker while an agent waits at its socket. The agent must not wait for what cannot come.
    private func killWaiting(_ stage: Stage, _ broker: Child, _ waiting: RequestID) async throws {
        let agent = AgentClient(baseURL: "unix:\(stage.socket.path)", token: Secret(Stage.agentToken))
        let wait = Task { try? await agent.request(waiting, wait: 60) }
        try await Task.sleep(for: .milliseconds(Int.random(in: 50...500)))
        broker.signal(SIGKILL)
        let began = ContinuousClock.now
        _ = await wait.value
        await agent.close()
        guard ContinuousClock.now - began < .seconds(10) else {
            throw Impatience(description: "an agent waits on after the broker's end")
        }
    }
}
