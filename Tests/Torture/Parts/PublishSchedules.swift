import Foundation
import Messages

/// A thousand orders in which a PDF and its manifest enter the inbox; each must end in exactly one COMPLETED.
struct PublishSchedules {
    let extent: Extent

    /// The time for which a file must stay unchanged, and a writer's longest pause within a file, in milliseconds.
    private static let stability = 400
    private static let pause = 40
    private static let atOnce = 50

    /// A delivery for the inbox.
    private struct Delivery: Sendable {
        let id: RequestID
        let pdf: (name: String, content: Data)
        let manifest: (name: String, content: Data)

        init(_ stage: Stage, _ id: RequestID) throws {
            let made = try stage.delivery(for: id)
            self.id = id
            pdf = (made.pdf.lastPathComponent, try Data(contentsOf: made.pdf))
            manifest = (made.manifestFile.lastPathComponent, try Data(contentsOf: made.manifestFile))
            for file in [made.pdf, made.manifestFile] { unlink(file.path) }
        }
    }

    func run() async throws -> Tally {
        try await Stage.with { stage in
            var tally = Tally()
            var (held, repeated) = (0, 0)
            let broker = try stage.quickBroker(stability: Self.stability)
            try await stage.answers(broker)
            while tally.tried < extent.count, !extent.isOver {
                var wave: [Delivery] = []
                for _ in 0..<min(Self.atOnce, extent.count - tally.tried) {
                    wave.append(try Delivery(stage, try await stage.askApproved()))
                }
                tally.tried += wave.count
                let slow = try await play(wave, in: stage, pause: Self.pause)
                var missing = try await missing(of: wave, at: stage, within: .seconds(slow.isEmpty ? 20 : 5))
                // A writer that is held up for longer than a file must stay unchanged is refused: its client starts again.
                let again = wave.filter { missing.contains($0.id) && slow.contains($0.id) }
                if !again.isEmpty {
                    held += again.count
                    _ = try await play(again, in: stage, pause: 0)
                    missing = try await self.missing(of: wave, at: stage, within: .seconds(20))
                }
                tally.survived += wave.count - missing.count
                for id in missing {
                    tally.loseByTime("\(id.short) stays open; in the inbox: \(stage.inboxNames(of: id))")
                }

                let twice = wave.filter { !missing.contains($0.id) && Int.random(in: 0..<3) == 0 }
                repeated += twice.count
                _ = try await play(twice, in: stage, pause: Self.pause)
                _ = await eventually(within: .seconds(20)) { stage.inboxNames().isEmpty }
            }
            await broker.stopped()
            // A delivery refused because this machine was slow was sent again and accepted: nothing is lost.
            if held > 0 { try? FileManager.default.removeItem(at: stage.rejected) }
            tally.add(try await Books(stage: stage).checkAll(withPhone: false))
            tally.seen = "\(repeated) came a second time" + (held > 0 ? "; \(held) held up by this machine" : "")
            return tally
        }
    }

    /// - Returns: the deliveries whose writer was held up too long.
    private func play(_ wave: [Delivery], in stage: Stage, pause: Int) async throws -> Set<RequestID> {
        try await withThrowingTaskGroup(of: (RequestID, Duration).self) { group in
            for delivery in wave {
                let schedule = SyncSchedule(pdf: delivery.pdf, manifest: delivery.manifest)
                group.addTask { (delivery.id, try await schedule.play(in: stage.inbox, longest: pause)) }
            }
            var slow: Set<RequestID> = []
            for try await (id, slowest) in group where slowest > .milliseconds(Self.stability / 2) { slow.insert(id) }
            return slow
        }
    }

    /// Returns the requests that were not completed in time.
    private func missing(of wave: [Delivery], at stage: Stage, within limit: Duration) async throws -> Set<RequestID> {
        var missing = Set(wave.map(\.id))
        _ = try await eventually(within: limit) {
            try await Task.sleep(for: .milliseconds(60))
            let entries = try Books(stage: stage).broker()
            missing = missing.filter { entries[$0.description]?.status != "COMPLETED" }
            return missing.isEmpty
        }
        return missing
    }
}
