import Foundation

/// Steady load on broker, phone and the assistant's processes, whose memory, descriptors, databases and output are looked
/// at every second.
struct Soak {
    let extent: Extent

    private static let pause: Duration = .milliseconds(700)
    /// The number of requests for a statement between two meetings in the calendar.
    private static let requestsPerMeeting = 7

    func run() async throws -> Tally {
        try await AssistantStage.with { assistant in
            // The inner stage ends the processes of both, so that everything is checked in here.
            try await Stage.withPhone { stage, bank in
                let broker = try stage.realBroker()
                try await stage.answers(broker)
                let phone = try stage.phone(bank: bank)
                _ = await eventually(within: .seconds(90)) { phone.lines.contains("ready") }
                var services = [
                    SoakedService("broker", broker, database: stage.database),
                    SoakedService("phone", phone, database: stage.home.database),
                ]
                services += assistant.processes.map { name, process in
                    SoakedService(name, process, database: name == "worker" ? assistant.database : nil)
                }
                var tally = try await load(stage, assistant, &services)
                await phone.killed()
                await broker.stopped()
                tally.add(try await Books(stage: stage).checkAll(withPhone: true))
                for service in services { for trouble in service.troubles { tally.fault(trouble) } }
                tally.seen = (services.map(\.words) + (try Books(stage: stage).unfinished())).joined(separator: "; ")
                return tally
            }
        }
    }

    /// Asks for statements and enters meetings until the time is over, and waits until each is done.
    private func load(
        _ stage: Stage, _ assistant: AssistantStage, _ services: inout [SoakedService]
    ) async throws -> Tally {
        var tally = Tally()
        var (requests, meetings) = (0, 0)
        var next = ContinuousClock.now
        var looked = next
        while !extent.isOver {
            do {
                _ = try await stage.ask()
            } catch {
                tally.lose("an agent was not answered: \(error)")
            }
            requests += 1
            if requests.isMultiple(of: Self.requestsPerMeeting) {
                meetings += 1
                await assistant.enter(meeting: meetings, in: 600)
            }
            if ContinuousClock.now >= looked {
                for index in services.indices { services[index].look() }
                looked = .now + .seconds(1)
            }
            next = max(next + Self.pause, .now)
            try await Task.sleep(until: next, clock: .continuous)
        }
        let books = Books(stage: stage)
        _ = try await eventually(within: .seconds(60)) {
            try books.broker().values.allSatisfy { !Books.open.contains($0.status) } && stage.inboxNames().isEmpty
        }
        _ = try await eventually(within: .seconds(60)) { try assistant.reminders().meetings >= meetings }
        let (reminded, all) = try assistant.reminders()
        if reminded < meetings { tally.lose("\(reminded) of \(meetings) meetings had a reminder") }
        if all > reminded { tally.double("\(all) reminders of \(reminded) meetings") }
        tally.tried = requests + meetings
        tally.survived = try books.broker().values.filter { $0.status == "COMPLETED" }.count + reminded
        return tally
    }
}

/// A process under steady load, and what it uses.
private struct SoakedService {
    private struct Look: Sendable {
        let memory: Int
        let descriptors: Int
        /// The bytes of the database and of what was printed.
        let written: Int
    }

    /// Growth to ignore, from the start of the load to its end: allocators keep some freed memory.
    private static let memoryAllowance = 12 << 20
    private static let descriptorAllowance = 4
    /// Growth to ignore between two thirds: a write-ahead log is emptied now and then.
    private static let writtenAllowance = 6 << 20

    private let name: String
    private let process: Child
    private let database: URL?
    private var looks: [Look] = []

    init(_ name: String, _ process: Child, database: URL?) {
        self.name = name
        self.process = process
        self.database = database
    }

    mutating func look() {
        let status = (try? String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/fd").count
        let files = database.map { [$0.path, $0.path + "-wal"] } ?? []
        let stored = files.reduce(0) { sum, file in
            sum + (((try? FileManager.default.attributesOfItem(atPath: file)[.size]) as? Int) ?? 0)
        }
        looks.append(
            Look(
                memory: (Int(line.filter(\.isNumber)) ?? 0) << 10, descriptors: descriptors ?? 0,
                written: stored + process.printedBytes))
    }

    /// The looks after a warm-up, in three equal parts; nil when there are too few.
    private var thirds: [ArraySlice<Look>]? {
        let warm = looks.dropFirst(looks.count / 5)
        let third = warm.count / 3
        guard third >= 2 else { return nil }
        return [warm.prefix(third), warm.dropFirst(third).prefix(third), warm.suffix(third)]
    }

    private func median(_ third: ArraySlice<Look>, _ value: (Look) -> Int) -> Int {
        third.map(value).sorted()[third.count / 2]
    }

    /// The numbers in the middle of the first third and of the last, and what each third has written.
    var words: String {
        guard let thirds else { return "\(name): too few looks" }
        let (first, last) = (thirds[0], thirds[2])
        let written = thirds.map { ($0.last!.written - $0.first!.written) >> 10 }
        return "\(name) \(median(first, \.memory) >> 20) → \(median(last, \.memory) >> 20) MB, "
            + "\(median(first, \.descriptors)) → \(median(last, \.descriptors)) descriptors, "
            + "\(written[0]) → \(written[2]) KB written"
    }

    /// A sentence if it grows. A database and a log may grow with the work, but not faster and faster.
    var troubles: [String] {
        guard let thirds else { return [] }
        let (first, last) = (thirds[0], thirds[2])
        let written = thirds.map { $0.last!.written - $0.first!.written }
        let grows =
            median(last, \.memory) - median(first, \.memory) > Self.memoryAllowance
            || median(last, \.descriptors) - median(first, \.descriptors) > Self.descriptorAllowance
            || written[2] > written[0] * 3 / 2 + Self.writtenAllowance
        return grows ? ["grows: \(words)"] : []
    }
}
