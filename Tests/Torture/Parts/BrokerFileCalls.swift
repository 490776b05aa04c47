import Foundation
import Messages

/// SIGKILL at the Nth file call of the broker while it takes one delivery in, for every N.
struct BrokerFileCalls {
    let extent: Extent

    func run() async throws -> Tally {
        if let obstacle = await Tracer.obstacle() { return .leftOut(obstacle) }
        return try await Stage.with { stage in
            var tally = Tally()
            var broker = try stage.quickBroker(stability: 40)
            try await stage.answers(broker)
            let calls = try await count(stage, broker)
            for number in extent.order(1...calls) where !extent.isOver {
                let (id, wasKilled) = try await ingest(stage, broker, killAfter: number)
                guard wasKilled else { continue }
                tally.tried += 1
                var found = Findings()
                checkFiles(stage, id, number, &found)
                broker = try stage.quickBroker(stability: 40)
                try await stage.answers(broker)
                try await settle(stage, id, &found)
                if found.isClean { tally.survived += 1 }
                tally.add(found)
            }
            await broker.stopped()
            tally.add(try await Books(stage: stage).checkAll(withPhone: false))
            tally.seen = "\(calls) file calls in a delivery"
            return tally
        }
    }

    /// Runs one delivery to its end, to count its calls.
    private func count(_ stage: Stage, _ broker: Child) async throws -> Int {
        let id = try await stage.askApproved()
        let tracer = try await Tracer.killing(broker, after: .max)
        try stage.deliver(try stage.delivery(for: id))
        let isDone = await eventually(within: .seconds(60)) { stage.inboxNames(of: id).isEmpty }
        guard isDone else { throw Impatience(description: "an undisturbed delivery is not accepted") }
        await tracer.detach()
        return tracer.count
    }

    private func ingest(
        _ stage: Stage, _ broker: Child, killAfter number: Int
    ) async throws -> (id: RequestID, wasKilled: Bool) {
        let id = try await stage.askApproved()
        let tracer = try await Tracer.killing(broker, after: number)
        try stage.deliver(try stage.delivery(for: id))
        _ = await eventually(within: .seconds(60)) { !broker.isRunning || stage.inboxNames(of: id).isEmpty }
        // The inbox is empty before the last calls are made.
        _ = await eventually(within: .milliseconds(300)) { !broker.isRunning }
        await tracer.detach()
        if !broker.isRunning { await broker.end() }
        return (id, !broker.isRunning)
    }

    /// Checks, before any recovery, that the statement is complete in the inbox or complete in the store.
    private func checkFiles(_ stage: Stage, _ id: RequestID, _ number: Int, _ found: inout Findings) {
        let stem = Stage.period.fileStem(for: id)
        func isWhole(_ file: URL) -> Bool { (try? Data(contentsOf: file)) == Stage.statement }
        let (waiting, stored) = (
            stage.inbox.appending(path: stem + ".pdf"), stage.statements.appending(path: stem + ".pdf")
        )
        if !isWhole(waiting), !isWhole(stored) { found.lost.append("call \(number): the statement is nowhere whole") }
        if FileManager.default.fileExists(atPath: stored.path), !isWhole(stored) {
            found.faults.append("call \(number): half a statement has its name in the store")
        }
    }

    private func settle(_ stage: Stage, _ id: RequestID, _ found: inout Findings) async throws {
        let books = Books(stage: stage)
        _ = try await eventually(within: .seconds(60)) {
            try books.brokerStatus(id) == "COMPLETED" && stage.inboxNames(of: id).isEmpty
        }
        try books.check(completed: id, found: &found)
        let left = stage.inboxNames(of: id)
        if !left.isEmpty { found.faults.append("\(id.short): left in the inbox: \(left)") }
    }
}
