import Foundation

/// Checks that broker and phone acknowledge only data that is on the disk. A power cut cannot be tested here, but the
/// waits for the disk can be counted.
struct CommitsOnDisk {
    let extent: Extent

    func run() async throws -> Tally {
        if let obstacle = await Tracer.obstacle() { return .leftOut(obstacle) }
        return try await Stage.withPhone { stage, bank in
            var tally = Tally()
            let broker = try stage.quickBroker(stability: 40)
            try await stage.answers(broker)
            var waits = 0
            let log = try await Tracer.syncing(broker, "broker.sqlite-wal")
            // One at a time, so that no two share a commit.
            for number in 1...extent.count where !extent.isOver {
                tally.tried += 1
                let before = log.count
                let id = try await stage.ask(monthsBefore: number)
                if await eventually(within: .seconds(20), { log.count > before }) {
                    tally.survived += 1
                } else {
                    tally.lose("request \(number), \(id.short), was acknowledged before it was on the disk")
                }
                waits = log.count
            }
            await log.detach()
            let (requests, phoneWaits) = try await answer(stage, bank, &tally)
            await broker.stopped()
            tally.seen = "the broker waited \(waits) times, the phone \(phoneWaits) for \(requests) requests"
            return tally
        }
    }

    /// Counts the phone's waits for the disk. It must store a request before its approval, the approval before the run, and
    /// the run before it is reported.
    private func answer(_ stage: Stage, _ bank: String, _ tally: inout Tally) async throws -> (Int, Int) {
        let phone = try stage.phone(bank: bank)
        _ = await eventually(within: .seconds(90)) { phone.lines.contains("ready") }
        let log = try await Tracer.syncing(phone, "phone.sqlite-wal")
        let before = completed(phone)
        _ = await eventually(within: .seconds(10)) { completed(phone) >= before + 3 }
        let requests = completed(phone) - before
        _ = await eventually(within: .seconds(20)) { log.count >= 3 * requests }
        tally.tried += requests
        if log.count >= 3 * requests {
            tally.survived += requests
        } else {
            tally.lose("the phone waited \(log.count) times for the disk while it completed \(requests) requests")
        }
        await log.detach()
        await phone.killed()
        return (requests, log.count)
    }

    private func completed(_ phone: Child) -> Int { phone.lines.count { $0.hasPrefix("completed ") } }
}
