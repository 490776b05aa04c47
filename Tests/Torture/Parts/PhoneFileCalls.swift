import Encodings
import Foundation
import Messages

/// SIGKILL at the Nth file call of the phone from the approval of one request to its delivery, for every N.
struct PhoneFileCalls {
    let extent: Extent

    func run() async throws -> Tally {
        if let obstacle = await Tracer.obstacle() { return .leftOut(obstacle) }
        return try await Stage.withPhone { stage, bank in
            var tally = Tally()
            // Long enough that the broker removes nothing before the check.
            let broker = try stage.quickBroker(stability: 700)
            try await stage.answers(broker)
            var phone = try await idle(stage, bank)
            let calls = try await count(stage, phone)
            for number in extent.order(1...calls) where !extent.isOver {
                let tracer = try await Tracer.killing(phone, after: number)
                let id = try await stage.ask()
                _ = try await eventually(within: .seconds(90)) {
                    try !phone.isRunning || Books(stage: stage).phoneStatus(id) == "COMPLETED"
                }
                _ = await eventually(within: .milliseconds(100)) { !phone.isRunning }
                await tracer.detach()
                guard !phone.isRunning else { continue }
                await phone.end()
                tally.tried += 1
                var found = Findings()
                Self.checkInbox(stage, id, "call \(number)", &found)
                phone = try await idle(stage, bank)
                try await Self.settle(stage, id, "call \(number)", &found)
                if found.isClean { tally.survived += 1 }
                tally.add(found)
            }
            tally.seen = "\(calls) file calls in a run; " + (try Self.ends(stage))
            _ = await eventually(within: .seconds(60)) { stage.inboxNames().isEmpty }
            await phone.killed()
            await broker.stopped()
            tally.add(try await Books(stage: stage).checkAll(withPhone: true))
            return tally
        }
    }

    private func idle(_ stage: Stage, _ bank: String) async throws -> Child {
        let phone = try stage.phone(bank: bank)
        guard await eventually(within: .seconds(90), { phone.lines.contains("ready") || !phone.isRunning }),
            phone.isRunning
        else { throw Impatience(description: "the phone does not start: \(phone.lines.suffix(3))") }
        return phone
    }

    private func count(_ stage: Stage, _ phone: Child) async throws -> Int {
        let tracer = try await Tracer.killing(phone, after: .max)
        let id = try await stage.ask()
        let isDone = try await eventually(within: .seconds(60)) {
            try Books(stage: stage).phoneStatus(id) == "COMPLETED"
        }
        guard isDone else {
            throw Impatience(description: "an undisturbed run does not end: \(phone.lines.suffix(3))")
        }
        await tracer.detach()
        return tracer.count
    }

    /// Checks that each manifest has its PDF, and that no partial file has a final name.
    static func checkInbox(_ stage: Stage, _ id: RequestID, _ when: String, _ found: inout Findings) {
        let stem = Stage.period.fileStem(for: id)
        let pdf = try? Data(contentsOf: stage.inbox.appending(path: stem + ".pdf"))
        let manifest = try? Data(contentsOf: stage.inbox.appending(path: stem + ".manifest.json"))
        if let pdf, pdf != Stage.statement { found.faults.append("\(when): half a PDF has its name") }
        if let manifest {
            if pdf == nil { found.lost.append("\(when): a manifest without its PDF") }
            let bytes = (try? JSONReader.read(manifest))?["bytes"]?.intValue
            if bytes != Stage.statement.count { found.faults.append("\(when): half a manifest has its name") }
        }
    }

    /// Waits until both sides record the same end of a request.
    static func settle(_ stage: Stage, _ id: RequestID, _ when: String, _ found: inout Findings) async throws {
        let books = Books(stage: stage)
        _ = try await eventually(within: .seconds(90)) {
            guard let status = try books.brokerStatus(id), !Books.open.contains(status) else { return false }
            return try books.phoneStatus(id) == status
        }
        let (broker, phone) = (try books.brokerStatus(id) ?? "unknown", try books.phoneStatus(id) ?? "unknown")
        if Books.open.contains(broker) { found.lost.append("\(when): \(id.short) stays \(broker)") }
        if phone != broker {
            found.faults.append("\(when): \(id.short) is \(broker) at the broker, \(phone) on the phone")
        }
        if broker == "COMPLETED" { try books.check(completed: id, found: &found) }
    }

    static func ends(_ stage: Stage) throws -> String {
        let ends = Dictionary(grouping: try Books(stage: stage).broker().values, by: \.status).mapValues(\.count)
        return ends.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
