import Foundation

/// A disk error.
struct FileFault: Sendable, CustomStringConvertible {
    let calls: String
    let error: String
    /// strace's `when`: the Nth call of each thread, or all calls from the first.
    let when: String

    var description: String { "\(error) on \(calls.prefix { $0 != "," }) \(when)" }

    static func all(upTo most: Int) -> [FileFault] {
        ["write,pwrite64,writev", "fsync,fdatasync", "?rename,?renameat,renameat2", "openat,?open"].flatMap { calls in
            ["EIO", "ENOSPC", "EINTR"].flatMap { error in
                ((1...most).map(String.init) + ["1+"]).map { FileFault(calls: calls, error: error, when: $0) }
            }
        }
    }

    static func chosen(_ extent: Extent) -> [FileFault] {
        extent.isFull ? all(upTo: 8) : all(upTo: 4).shuffled()
    }
}

/// Disk errors while the broker accepts a delivery. Afterwards the disk works, and the delivery must be there.
struct BrokerFileErrors {
    let extent: Extent

    func run() async throws -> Tally {
        if let obstacle = await Tracer.obstacle() { return .leftOut(obstacle) }
        return try await Stage.with { stage in
            var tally = Tally()
            var restarts = 0
            var broker = try stage.quickBroker(stability: 40)
            try await stage.answers(broker)
            for fault in FileFault.chosen(extent) where !extent.isOver {
                let id = try await stage.askApproved()
                let tracer = try await Tracer.failing(broker, fault.calls, fault.error, when: fault.when)
                try stage.deliver(try stage.delivery(for: id))
                let patience: Duration = fault.when == "1+" ? .milliseconds(400) : .seconds(2)
                _ = await eventually(within: patience) { stage.inboxNames(of: id).isEmpty || !broker.isRunning }
                await tracer.detach()
                if tracer.hasInjected { tally.tried += 1 }
                if !broker.isRunning {
                    // A supervisor would restart the broker.
                    restarts += 1
                    let status = await broker.end()
                    if !tracer.hasHitThreads {
                        tally.fault(
                            "\(fault): the broker ended with \(status) after \(tracer.lastCall): \(broker.lines.suffix(2))"
                        )
                    }
                    broker = try stage.quickBroker(stability: 40)
                    try await stage.answers(broker)
                }
                var found = Findings()
                _ = await eventually(within: .seconds(15)) { stage.inboxNames(of: id).isEmpty }
                try Books(stage: stage).check(completed: id, found: &found)
                let left = stage.inboxNames(of: id)
                if !left.isEmpty { found.faults.append("\(fault): left in the inbox: \(left)") }
                if tracer.hasInjected, found.isClean { tally.survived += 1 }
                tally.add(found.after("\(fault)"))
            }
            await broker.stopped()
            tally.add(try await Books(stage: stage).checkAll(withPhone: false))
            tally.seen = "EIO, ENOSPC, EINTR on write, fsync, rename, open; \(restarts) restarts"
            return tally
        }
    }
}

/// Disk errors while the phone serves a request. The request may fail, but both sides must record that.
struct PhoneFileErrors {
    let extent: Extent

    func run() async throws -> Tally {
        if let obstacle = await Tracer.obstacle() { return .leftOut(obstacle) }
        return try await Stage.withPhone { stage, bank in
            var tally = Tally()
            var restarts = 0
            let broker = try stage.quickBroker(stability: 500)
            try await stage.answers(broker)
            var phone = try stage.phone(bank: bank)
            _ = await eventually(within: .seconds(90)) { phone.lines.contains("ready") }
            for fault in FileFault.chosen(extent) where !extent.isOver {
                let tracer = try await Tracer.failing(phone, fault.calls, fault.error, when: fault.when)
                let id = try await stage.ask()
                let books = Books(stage: stage)
                let patience: Duration = fault.when == "1+" ? .milliseconds(600) : .seconds(3)
                _ = try await eventually(within: patience) {
                    try !phone.isRunning || ["COMPLETED", "FAILED"].contains(books.phoneStatus(id))
                }
                var found = Findings()
                PhoneFileCalls.checkInbox(stage, id, "\(fault)", &found)
                await tracer.detach()
                if tracer.hasInjected { tally.tried += 1 }
                if !phone.isRunning {
                    restarts += 1
                    let status = await phone.end()
                    if !tracer.hasHitThreads {
                        tally.fault(
                            "\(fault): the phone ended with \(status) after \(tracer.lastCall): \(phone.lines.suffix(2))"
                        )
                    }
                    phone = try stage.phone(bank: bank)
                    let started = phone
                    _ = await eventually(within: .seconds(90)) { started.lines.contains("ready") }
                }
                try await PhoneFileCalls.settle(stage, id, "\(fault)", &found)
                if tracer.hasInjected, found.isClean { tally.survived += 1 }
                tally.add(found)
            }
            _ = await eventually(within: .seconds(60)) { stage.inboxNames().isEmpty }
            await phone.killed()
            await broker.stopped()
            tally.add(try await Books(stage: stage).checkAll(withPhone: true))
            tally.seen = try PhoneFileCalls.ends(stage) + "; \(restarts) restarts"
            return tally
        }
    }
}

extension Findings {
    /// Returns the findings, each with the event before it.
    func after(_ event: String) -> Findings {
        Findings(
            lost: lost.map { "\(event): \($0)" }, doubled: doubled.map { "\(event): \($0)" },
            faults: faults.map { "\(event): \($0)" })
    }
}
