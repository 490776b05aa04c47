import Foundation

/// The end of the torture itself: killed, stopped by a person, or by an error. No program that it started may live on.
struct OwnEnds {
    let extent: Extent

    private enum End: CaseIterable { case killed, stopped, failed }

    func run() async throws -> Tally {
        var row = Tally()
        while row.tried < extent.count, row.tried < End.allCases.count || !extent.isOver {
            let end = End.allCases[row.tried % End.allCases.count]
            row.tried += 1
            let rig = try Child(Child.executable("torture"), ["stage"] + (end == .failed ? ["--fails"] : []))
            _ = await eventually(within: .seconds(60)) {
                rig.lines.contains { $0.hasPrefix("broker ") } || !rig.isRunning
            }
            let words = rig.lines.first { $0.hasPrefix("broker ") }?.split(separator: " ", maxSplits: 2) ?? []
            guard words.count == 3, let broker = Int32(words[1])
            else { throw Impatience(description: "the stage does not start: \(rig.lines.suffix(3))") }
            // A stage that is killed cannot delete its own folder.
            defer { try? FileManager.default.removeItem(at: URL(filePath: String(words[2]))) }
            switch end {
            case .killed: await rig.killed()
            case .stopped:
                rig.signal(SIGINT)
                await rig.end()
            case .failed: await rig.end()
            }
            if await eventually(within: .seconds(90), { !Self.runs(broker) }) {
                row.survived += 1
            } else {
                row.fault("the broker \(broker) lived on after the torture \(end)")
                kill(broker, SIGKILL)
            }
        }
        row.seen = "no program lived on"
        return row
    }

    /// A program that has ended stays as a zombie until the system's first process asks for its status.
    private static func runs(_ process: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return !(text.split(separator: ")").last?.hasPrefix(" Z") ?? true)
    }
}
