import Foundation
import Messages

/// Steps of the broker's wall clock by a day, both ways, while requests are open.
struct ClockSteps {
    private static let patience = 6

    func run() async throws -> Tally {
        guard let preload = FakeClock.preload else {
            return .leftOut("libfaketime is not installed (apt-get install faketime)")
        }
        return try await Stage.with { stage in
            let clock = FakeClock(preload: preload, file: stage.root.appending(path: "clock"))
            try clock.set(hours: 0)
            let limits = [
                "BROKER_APPROVAL_TTL_SECONDS": "\(Self.patience)",
                "BROKER_EXECUTION_TIMEOUT_SECONDS": "\(Self.patience)",
            ]
            let environment = clock.environment.merging(limits) { $1 }
            var broker = try stage.realBroker(environment)
            try await stage.answers(broker)
            var tally = Tally()
            var seen: [String] = []
            for hours in [-24, 24] {
                for isRestarted in [false, true] {
                    try clock.set(hours: 0)
                    let approved = try await stage.askApproved()
                    let pending = try await stage.ask()
                    let began = ContinuousClock.now
                    try clock.set(hours: hours)
                    if isRestarted {
                        await clock.forget(broker)
                        broker = try stage.realBroker(environment)
                        try await stage.answers(broker)
                    }
                    for (id, end) in [(pending, "EXPIRED"), (approved, "FAILED")] {
                        tally.tried += 1
                        let trouble = try await ends(stage, id, as: end, since: began, early: hours > 0)
                        if let trouble {
                            tally.lose("\(hours) h\(isRestarted ? ", restarted" : ""): \(trouble)")
                        } else {
                            tally.survived += 1
                        }
                    }
                }
            }
            seen.append("deadlines held")
            // Waits that use a timer, such as the one before a delivery is accepted, cannot be tested: the library (0.9.10)
            // moves the kernel's timers along with the wall clock.
            await clock.forget(broker)
            tally.add(try await Books(stage: stage).checkAll(withPhone: false))
            seen.append("audit chain verified")
            if tally.isClean { tally.seen = seen.joined(separator: ", ") }
            return tally
        }
    }

    /// - Parameter early: whether the wall clock says at once that the time is over; then it must be over.
    /// - Returns: what is wrong.
    private func ends(
        _ stage: Stage, _ id: RequestID, as end: String, since began: ContinuousClock.Instant, early: Bool
    ) async throws -> String? {
        var status = try await stage.agent.request(id).status
        while !status.isTerminal, ContinuousClock.now - began < .seconds(Self.patience + 15) {
            try await Task.sleep(for: .milliseconds(100))
            status = try await stage.agent.request(id).status
        }
        let took = ContinuousClock.now - began
        guard status.rawValue == end else { return "\(status.rawValue), not \(end), after \(Table.words(took))" }
        // A loaded machine may be late, but never early.
        if !early, took < .milliseconds(Self.patience * 1000 - 700) { return "\(end) after \(took), before its time" }
        if took > .seconds(Self.patience + 6) { return "\(end) after \(took), long after its time" }
        return nil
    }
}

/// libfaketime, with a clock that the rig sets while programs run.
private struct FakeClock {
    /// The shared object of libfaketime, to preload into programs.
    let preload: String
    let file: URL

    static var preload: String? {
        let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
        return folders.map { "\($0)/faketime/libfaketimeMT.so.1" }.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Fakes only the wall clock: the monotonic clock and the times of files stay the system's.
    var environment: [String: String] {
        [
            "LD_PRELOAD": preload, "FAKETIME_TIMESTAMP_FILE": file.path, "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
            // The library (0.9.10) sets this variable while a program is loaded. If that enlarges the environment, Swift
            // loses the arguments, so give the variable a value to replace.
            "FAKETIME_SHARED": "/none /none",
        ]
    }

    func set(hours: Int) throws {
        try Data((hours < 0 ? "\(hours)h\n" : "+\(hours)h\n").utf8).write(to: file, options: .atomic)
    }

    /// Ends a program that ran under the library, and deletes the library's shared memory for it.
    func forget(_ program: Child) async {
        let pid = program.pid
        await program.stopped()
        for name in ["faketime_shm_\(pid)", "sem.faketime_sem_\(pid)"] { unlink("/dev/shm/\(name)") }
    }
}
