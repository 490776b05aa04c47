import Foundation
import Measuring

/// Measures how the time grows with the number of sessions, compared with as many bare libcurl handles, each on its own
/// thread. The handles show the time that the mock bank alone needs.
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
