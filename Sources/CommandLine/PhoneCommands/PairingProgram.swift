import ApprovalPage
import Clocks
import Encodings
import Foundation
import Machine
import ScriptCommands
import Secrets

/// A `countersign pair --json` that runs: each line that it prints is a turn of the pairing, and one line answers it. A program that
/// is asked to end ends its pairing at the broker before, and it is asked when this process is gone, too.
final class PairingProgram: PagePairing {
    let shown: ShownPairing
    let turns: AsyncStream<PairingTurn>
    private let program: RunningProgram
    /// Reads what the program prints, until it has ended.
    private let reading: Task<Void, Never>

    /// The time that the program has to open a pairing.
    private static let patience: Duration = .seconds(30)
    /// The time that it has to end the pairing.
    private static let grace: Duration = .seconds(10)
    /// No pairing lives as long.
    private static let limit: Duration = .seconds(400)
    /// The bytes of its complaints that are kept.
    private static let mostWords = 8192

    private init(
        _ shown: ShownPairing, _ turns: AsyncStream<PairingTurn>, _ program: RunningProgram,
        _ reading: Task<Void, Never>
    ) {
        self.shown = shown
        self.turns = turns
        self.program = program
        self.reading = reading
    }

    /// Starts the program, and waits until the broker has opened a pairing.
    ///
    /// - Parameter arguments: those of this program.
    /// - Throws: ``PairingRefusal`` with the program's own words.
    static func start(_ arguments: [String]) async throws -> PairingProgram {
        let program: RunningProgram
        do {
            program = try await BlockingWork.run {
                try RunningProgram(
                    [URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path] + arguments, environment: nil,
                    input: .written, errors: .kept, limit: limit)
            }
        } catch {
            throw PairingRefusal("\(error)")
        }
        let impatience = Task {
            try await Task.sleep(for: patience)
            program.send(SIGTERM)
        }
        defer { impatience.cancel() }
        let (openings, opening) = AsyncStream.makeStream(of: ShownPairing.self)
        let (turns, turn) = AsyncStream.makeStream(of: PairingTurn.self)
        let (refusals, refusal) = AsyncStream.makeStream(of: String.self)
        let reading = Task {
            let end = await read(program, opening, turn)
            let words = await Self.words(of: program, end.complaints)
            refusal.yield(words)
            if !end.isTold { turn.yield(.ended(.failed(words))) }
            opening.finish()
            turn.finish()
            refusal.finish()
        }
        if let shown = await openings.first(where: { _ in true }) {
            return PairingProgram(shown, turns, program, reading)
        }
        // The browser's request may have been given up while the program went on.
        program.send(SIGTERM)
        await reading.value
        throw PairingRefusal(await refusals.first { _ in true } ?? "")
    }

    func answer(_ areSame: Bool) async {
        let program = program
        // A program that has ended by then has told why.
        try? await BlockingWork.run {
            try program.write((areSame ? "yes\n" : "no\n").utf8)
            program.endInput()
        }
    }

    func cancel() async {
        program.send(SIGTERM)
        let program = program
        let impatience = Task {
            try await Task.sleep(for: Self.grace)
            program.kill()
        }
        await reading.value
        impatience.cancel()
    }

    // MARK: What the program prints

    /// Follows the lines until the program prints no more.
    ///
    /// - Returns: whether a line has told the end, and what the program complains of.
    private static func read(
        _ program: RunningProgram, _ opening: AsyncStream<ShownPairing>.Continuation,
        _ turn: AsyncStream<PairingTurn>.Continuation
    ) async -> (isTold: Bool, complaints: AsyncStream<[UInt8]>) {
        let (complaints, complaint) = AsyncStream.makeStream(of: [UInt8].self)
        program.follow(.errors) { piece in
            complaint.yield(Array(piece))
        } atEnd: {
            complaint.finish()
        }
        var isTold = false
        for await line in program.lines() {
            guard let json = try? JSONReader.read(line) else { continue }
            if let shown = opened(by: json) { opening.yield(shown) }
            guard let next = nextTurn(in: json) else { continue }
            switch next {
            case .paired, .ended: isTold = true
            case .claimed: break
            }
            turn.yield(next)
        }
        return (isTold, complaints)
    }

    /// Waits until the program has ended, and returns the words with which it failed.
    private static func words(of program: RunningProgram, _ complaints: AsyncStream<[UInt8]>) async -> String {
        await program.ended()
        var said: [UInt8] = []
        for await piece in complaints where said.count < mostWords { said += piece.prefix(mostWords - said.count) }
        let start = "countersign: "
        let text = String(decoding: said, as: UTF8.self).split(separator: "\n").joined(separator: " ")
            .trimmingCharacters(in: .whitespaces)
        return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : text
    }

    /// Returns what a line shows of a pairing that is open.
    static func opened(by json: JSONValue) -> ShownPairing? {
        guard json["status"] == "OPEN", let uri = json["uri"]?.stringValue, let code = json["code"]?.stringValue,
            let line = json["line"]?.stringValue, let expiry = json["expires_at"]?.stringValue,
            let end = Timestamp(expiry)
        else { return nil }
        return ShownPairing(
            uri: Secret(uri), code: Secret(code), line: Secret(line),
            isForThisMachine: json["payload"]?["endpoint"]?.stringValue?.isLoopbackOrigin == true,
            inbox: json["inbox"]?.stringValue, expiresAt: end.date)
    }

    /// Returns the turn that a line tells of.
    static func nextTurn(in json: JSONValue) -> PairingTurn? {
        func text(_ member: String) -> String { json[member]?.stringValue ?? "" }
        return switch text("status") {
        case "CLAIMED": .claimed(device: text("device_name"), words: text("words"))
        case "DONE": .paired(name: text("device_name"))
        case "ENDED": .ended(end(text("reason"), text("message")))
        default: nil
        }
    }

    private static func end(_ reason: String, _ message: String) -> PairingEnd {
        switch reason {
        case "EXPIRED": .expired
        case "WRONG_TRIES": .wrongTries
        case "RESTARTED": .restarted
        case "CANCELLED": .cancelled
        case "DENIED": .denied
        default: .failed(message)
        }
    }
}
