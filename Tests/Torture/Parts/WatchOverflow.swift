import Foundation
import Inbox
import Machine

/// More files at once than inotify reports: the broker must still find the deliveries among them.
struct WatchOverflow {
    let extent: Extent

    /// 5,000 files cause 20,000 events as they are created and renamed; the system queues 16,384 by default.
    private static let files = 5000

    func run() async throws -> Tally {
        try await Stage.with { stage in
            let deliveries = extent.isFull ? 1000 : 200
            let broker = try stage.realBroker()
            try await stage.answers(broker)
            var waiting: [PublishedDelivery] = []
            for _ in 0..<deliveries { waiting.append(try stage.delivery(for: try await stage.askApproved())) }

            let witness = try QueueWitness(stage.inbox)
            // A stopped program cannot read events.
            broker.signal(SIGSTOP)
            try litter(stage, Self.files)
            for delivery in waiting { try stage.deliver(delivery) }
            let overflowed = witness.hasOverflowed()
            broker.signal(SIGCONT)

            var tally = Tally(tried: deliveries)
            let books = Books(stage: stage)
            _ = try await eventually(within: .seconds(300)) {
                try await Task.sleep(for: .milliseconds(300))
                return try books.broker().values.filter { $0.status == "COMPLETED" }.count == deliveries
                    && !stage.inboxNames().contains { $0.hasSuffix(".json") }
            }
            tally.survived = try books.broker().values.filter { $0.status == "COMPLETED" }.count
            for name in stage.inboxNames() where name.hasPrefix("note-") {
                unlink(stage.inbox.appending(path: name).path)
            }
            await broker.stopped()
            tally.add(try await books.checkAll(withPhone: false))
            if !overflowed { tally.fault("the queue did not overflow: see fs.inotify.max_queued_events") }
            tally.seen = "\(deliveries) deliveries beside \(Self.files) files; the queue overflowed: \(overflowed)"
            return tally
        }
    }

    private func litter(_ stage: Stage, _ count: Int) throws {
        for number in 0..<count {
            let path = stage.inbox.appending(path: "note-\(number).part").path
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw FileError("made", path) }
            write(descriptor, "x", 1)
            close(descriptor)
            guard rename(path, stage.inbox.appending(path: "note-\(number).txt").path) == 0 else {
                throw FileError("renamed", path)
            }
        }
    }
}

/// A watch like the broker's that is read only at the end: if it has lost events, so has the broker's.
private final class QueueWitness {
    private let descriptor: Int32

    init(_ folder: URL) throws {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE)
        guard descriptor >= 0, inotify_add_watch(descriptor, folder.path, mask) >= 0 else {
            throw FileError("watched", folder.path)
        }
    }

    deinit { close(descriptor) }

    func hasOverflowed() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var found = false
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            // inotify(7): watch, mask, cookie and the length of the name, four bytes each, and the name.
            var offset = 0
            while offset + 16 <= count {
                let (mask, length) = buffer.withUnsafeBytes {
                    (
                        $0.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
                        $0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)
                    )
                }
                if mask & UInt32(IN_Q_OVERFLOW) != 0 { found = true }
                offset += 16 + Int(length)
            }
        }
        return found
    }
}
