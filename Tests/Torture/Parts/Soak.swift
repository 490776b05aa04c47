import Foundation

/// Steady load on broker and phone, with their memory and open descriptors sampled every second.
struct Soak {
    let extent: Extent

    /// Growth to ignore, from the start of the load to its end: allocators keep some freed memory.
    private static let memoryAllowance = 12 << 20
    private static let descriptorAllowance = 4

    func run() async throws -> Tally {
        try await Stage.withPhone { stage, bank in
            let broker = try stage.realBroker()
            try await stage.answers(broker)
            let phone = try stage.phone(bank: bank)
            _ = await eventually(within: .seconds(30)) { phone.lines.contains("ready") }
            var tally = Tally()
            var samples: [[Sample]] = [[], []]
            var next = ContinuousClock.now
            var looked = next
            while !extent.isOver {
                do {
                    _ = try await stage.ask()
                    tally.tried += 1
                } catch {
                    tally.tried += 1
                    tally.lose("an agent was not answered: \(error)")
                }
                if ContinuousClock.now >= looked {
                    samples[0].append(Sample(of: broker))
                    samples[1].append(Sample(of: phone))
                    looked = .now + .seconds(1)
                }
                next = max(next + .milliseconds(700), .now)
                try await Task.sleep(until: next, clock: .continuous)
            }
            let books = Books(stage: stage)
            _ = try await eventually(within: .seconds(60)) {
                try books.broker().values.allSatisfy { !Books.open.contains($0.status) } && stage.inboxNames().isEmpty
            }
            tally.survived = try books.broker().values.filter { $0.status == "COMPLETED" }.count
            await phone.killed()
            await broker.stopped()
            tally.add(try await books.checkAll(withPhone: true))
            tally.seen = zip(["broker", "phone"], samples).map { verdict($0, $1, &tally) }.joined(separator: "; ")
            return tally
        }
    }

    /// Compares the middle of the first third, after a warm-up, with the middle of the last.
    private func verdict(_ name: String, _ samples: [Sample], _ tally: inout Tally) -> String {
        let warm = samples.dropFirst(samples.count / 5)
        guard warm.count >= 6 else { return "\(name): too few looks" }
        let third = warm.count / 3
        let (begin, end) = (Sample.middle(warm.prefix(third)), Sample.middle(warm.suffix(third)))
        let isGrowing =
            end.memory - begin.memory > Self.memoryAllowance
            || end.descriptors - begin.descriptors > Self.descriptorAllowance
        let words =
            "\(name) \(begin.memory >> 20) → \(end.memory >> 20) MB, \(begin.descriptors) → \(end.descriptors) descriptors"
        if isGrowing { tally.fault("grows: \(words)") }
        return words
    }
}

/// The size of a process at one moment.
private struct Sample: Sendable {
    /// Resident memory, in bytes.
    let memory: Int
    let descriptors: Int

    init(memory: Int, descriptors: Int) {
        self.memory = memory
        self.descriptors = descriptors
    }

    init(of program: Child) {
        let status = (try? String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        memory = (Int(line.filter(\.isNumber)) ?? 0) << 10
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.pid)/fd").count) ?? 0
    }

    static func middle(_ samples: some Collection<Sample>) -> Sample {
        func median(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }
        return Sample(memory: median(samples.map(\.memory)), descriptors: median(samples.map(\.descriptors)))
    }
}
