import Foundation
import Measuring

/// How the time grows with the sessions that are there at once: theirs, and that of as many bare libcurl handles, each on
/// a thread of its own, which is what the mock bank alone needs to answer.
struct SessionsAtOnce {
    private static let rounds = 9

    let work: Workplace

    func measure(_ ours: Fetcher, _ floor: Fetcher) throws {
        let (first, second) = (
            try TurningProcess(ours.turns(try work.folder())), try TurningProcess(floor.turns(try work.folder()))
        )
        defer {
            first.stop()
            second.stop()
        }
        print("\n## Sessions at once\n")
        printHead()
        for sessions in [1, 4, 16, 64] {
            _ = try (first.turn(sessions), second.turn(sessions))
            let (ours, theirs) = try medians(
                rounds: Self.rounds, ours: { try first.turn(sessions) }, theirs: { try second.turn(sessions) })
            printRow(
                "\(sessions) sessions at once, to \(sessions) bare libcurl handles", ours, theirs,
                atMost: sessions == 64 ? 1.5 : nil)
        }
    }
}
