import Foundation
import Synchronization

/// `kill -9` on broker and phone, each at its own moments, while an agent asks and the phone's owner answers.
struct RandomKills {
    let extent: Extent

    func run() async throws -> Tally {
        try await Stage.withPhone { stage, bank in
            let record = KillRecord(limit: extent.count)
            let start = try await startingTime(stage, bank)
            async let brokers: Void = supervise(record, "broker", start, Moment.allCases) { onLine in
                try stage.quickBroker(stability: 40, onLine: onLine)
            }
            async let phones: Void = supervise(record, "phone", start, [.any]) { _ in
                try stage.phone(bank: bank, denying: 8, flags: ["--apart"])
            }
            let asking = Task { await ask(stage, record) }
            _ = try await (brokers, phones)
            asking.cancel()
            await asking.value
            return try await reckon(stage, bank, record)
        }
    }

    /// The time that both need to start on this machine, so that a busy machine is given later moments.
    private func startingTime(_ stage: Stage, _ bank: String) async throws -> Duration {
        let began = ContinuousClock.now
        let broker = try stage.quickBroker(stability: 40)
        try await stage.answers(broker)
        let phone = try stage.phone(bank: bank)
        _ = await eventually(within: .seconds(90)) { phone.lines.contains("ready") }
        let took = ContinuousClock.now - began
        await phone.killed()
        await broker.stopped()
        return min(took / 2, .seconds(2))
    }

    private enum Moment: CaseIterable {
        case any
        /// After a pause: on resuming, the program receives messages from a program that was killed in the meantime.
        case afterPause
        /// As soon as it has stored a decision, usually before the decision is answered.
        case atDecision
    }

    /// Starts a program, kills it, and starts it again. Some kills hit its start, some its later work.
    private func supervise(
        _ record: KillRecord, _ name: String, _ starting: Duration, _ moments: [Moment],
        _ start: (@escaping @Sendable (String) -> Void) throws -> Child
    ) async throws {
        while !extent.isOver, record.mayKill() {
            let moment = moments.randomElement()!
            let victim = Victim(at: ["request approved", "request denied"])
            let child = try start { line in if moment == .atDecision { victim.look(at: line) } }
            victim.is(child)
            let longest = starting * (Int.random(in: 0..<8) == 0 ? 12 : 4)
            switch moment {
            case .any: try await Task.sleep(for: longest * Double.random(in: 0...1))
            case .afterPause:
                try await Task.sleep(for: longest * Double.random(in: 0...1))
                child.signal(SIGSTOP)
                try await Task.sleep(for: starting * Double.random(in: 0...3))
                child.signal(SIGCONT)
                try await Task.sleep(for: longest * Double.random(in: 0...1))
            case .atDecision: _ = await eventually(within: longest * 2) { !child.isRunning }
            }
            let wasAlive = child.isRunning || victim.wasKilled
            await child.killed()
            record.note(child.lines)
            if !wasAlive { record.fell("the \(name) had ended by itself: \(child.lines.suffix(2))") }
        }
    }

    private func ask(_ stage: Stage, _ record: KillRecord) async {
        while !Task.isCancelled {
            // Not more than the phone can answer: a request that expires in the queue tests nothing.
            if let waiting = try? await stage.agent.page(of: .pendingApproval, limit: 5), waiting.requests.count < 4,
                let id = try? await stage.ask()
            {
                record.acknowledge(id.description)
            }
            try? await Task.sleep(for: .milliseconds(60))
        }
    }

    /// Lets both run until all requests have ended, and compares their answers with their records.
    private func reckon(_ stage: Stage, _ bank: String, _ record: KillRecord) async throws -> Tally {
        let broker = try stage.quickBroker(stability: 40)
        let phone = try stage.phone(bank: bank)
        try await stage.answers(broker)
        let books = Books(stage: stage)
        _ = try await eventually(within: .seconds(90)) {
            try books.broker().values.allSatisfy { !Books.open.contains($0.status) } && stage.inboxNames().isEmpty
        }
        // The phone may still have to store an end that the broker already knows.
        _ = try await eventually(within: .seconds(90)) {
            try books.phone().values.allSatisfy { !Books.open.contains($0.status) }
        }
        await phone.killed()
        await broker.stopped()
        record.note(phone.lines + broker.lines)

        var row = Tally(tried: record.kills)
        var found = try await books.checkAll(withPhone: true)
        let (atBroker, onPhone) = (try books.broker(), try books.phone())
        for id in record.acknowledged where atBroker[id] == nil {
            found.lost.append("\(id.prefix(8)) was acknowledged and is not there")
        }
        for (word, status) in [("completed", "COMPLETED"), ("denied", "DENIED")] {
            for (id, times) in record.said(word) {
                if atBroker[id]?.status != status || onPhone[id]?.status != status {
                    found.lost.append("the phone said that \(id.prefix(8)) is \(word)")
                }
                if times > 1 { found.doubled.append("the phone said \(times) times that \(id.prefix(8)) is \(word)") }
            }
        }
        for (id, times) in record.accepted where times > 1 {
            found.doubled.append("\(id.prefix(8)) was accepted twice")
        }
        found.faults += record.falls
        row.add(found)
        row.survived = row.tried - min(row.tried, found.lost.count + found.doubled.count + found.faults.count)
        let ends = Dictionary(grouping: atBroker.values, by: \.status).mapValues(\.count)
        let words = ends.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        row.seen = "\(atBroker.count) requests: \(words)"
        return row
    }
}

/// The kills, and the answers before them.
private final class KillRecord: Sendable {
    private struct State {
        var kills = 0
        var acknowledged: [String] = []
        var said: [String: [String: Int]] = [:]
        var accepted: [String: Int] = [:]
        var falls: [String] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var kills: Int { state.withLock { $0.kills } }
    var acknowledged: [String] { state.withLock { $0.acknowledged } }
    var accepted: [String: Int] { state.withLock { $0.accepted } }
    var falls: [String] { state.withLock { $0.falls } }

    func mayKill() -> Bool {
        state.withLock { state in
            guard state.kills < limit else { return false }
            state.kills += 1
            return true
        }
    }

    func acknowledge(_ id: String) { state.withLock { $0.acknowledged.append(id) } }
    func fell(_ trouble: String) { state.withLock { $0.falls.append(trouble) } }
    func said(_ word: String) -> [String: Int] { state.withLock { $0.said[word] ?? [:] } }

    func note(_ lines: [String]) {
        state.withLock { state in
            for line in lines {
                let words = line.split(separator: " ").map(String.init)
                if line.contains("statement accepted"), let id = words.first(where: { $0.hasPrefix("request=") }) {
                    state.accepted[String(id.dropFirst(8)), default: 0] += 1
                } else if words.count > 1, ["completed", "denied"].contains(words[0]) {
                    state.said[words[0], default: [:]][words[1], default: 0] += 1
                }
            }
        }
    }
}
