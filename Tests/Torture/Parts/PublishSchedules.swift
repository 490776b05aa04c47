import Foundation
import Signer

/// A thousand ways in which a PDF and its manifest come into the inbox; each ends in exactly one COMPLETED.
struct PublishSchedules {
    let extent: Extent

    /// How long a file has to stay as it is, and the longest pause of a writer within one: what a sync client leaves
    /// half for longer than that is refused, and comes again.
    private static let stability = 400
    private static let pause = 40
    private static let atOnce = 50

    private struct Outcome: Sendable {
        let id: RequestID
        var trouble: String?
        var wasStalled = false
        var cameAgain = false
    }

    func run() async throws -> Tally {
        try await Stage.with { stage in
            var tally = Tally()
            var (stalled, again) = (0, 0)
            let broker = try stage.quickBroker(stability: Self.stability)
            try await stage.answers(broker)
            while tally.tried < extent.count, !extent.isOver {
                var ids: [RequestID] = []
                for _ in 0..<min(Self.atOnce, extent.count - tally.tried) { ids.append(try await stage.askApproved()) }
                let outcomes = try await wave(stage, ids)
                tally.tried += ids.count
                for outcome in outcomes {
                    if outcome.wasStalled { stalled += 1 }
                    if outcome.cameAgain { again += 1 }
                    if let trouble = outcome.trouble { tally.lose(trouble) } else { tally.survived += 1 }
                }
            }
            await broker.stopped()
            tally.add(try await Books(stage: stage).checkAll(withPhone: false))
            tally.seen = "\(again) came a second time" + (stalled > 0 ? "; \(stalled) slowed by this machine" : "")
            return tally
        }
    }

    private func wave(_ stage: Stage, _ ids: [RequestID]) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for id in ids { group.addTask { try await deliver(stage, id) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func deliver(_ stage: Stage, _ id: RequestID) async throws -> Outcome {
        var outcome = Outcome(id: id)
        let delivery = try stage.delivery(for: id)
        let pdf = (delivery.pdf.lastPathComponent, try Data(contentsOf: delivery.pdf))
        let manifest = (delivery.manifestFile.lastPathComponent, try Data(contentsOf: delivery.manifestFile))
        for file in [delivery.pdf, delivery.manifestFile] { unlink(file.path) }
        let slowest = try await SyncSchedule(pdf: pdf, manifest: manifest).play(in: stage.inbox, longest: Self.pause)
        outcome.wasStalled = slowest > .milliseconds(Self.stability / 2)
        var isCompleted = try await completes(stage, id, within: outcome.wasStalled ? 4 : 20)
        if !isCompleted, outcome.wasStalled {
            // A writer that was held up for longer than a file has to be still: its client notices, and begins anew.
            _ = try await SyncSchedule(pdf: pdf, manifest: manifest).play(in: stage.inbox, longest: 0)
            isCompleted = try await completes(stage, id, within: 20)
        }
        guard isCompleted else {
            outcome.trouble = "\(id.short) is not completed; in the inbox: \(stage.inboxNames(of: id))"
            return outcome
        }
        if Int.random(in: 0..<3) == 0 {
            outcome.cameAgain = true
            _ = try await SyncSchedule(pdf: pdf, manifest: manifest).play(in: stage.inbox, longest: Self.pause)
        }
        if !(await eventually(within: .seconds(20), { stage.inboxNames(of: id).isEmpty })) {
            outcome.trouble = "\(id.short) leaves in the inbox: \(stage.inboxNames(of: id))"
        }
        return outcome
    }

    private func completes(_ stage: Stage, _ id: RequestID, within seconds: Int) async throws -> Bool {
        try await eventually(within: .seconds(seconds)) {
            try await Task.sleep(for: .milliseconds(60))
            return try Books(stage: stage).brokerStatus(id) == "COMPLETED"
        }
    }
}
