import Foundation
import Measuring

/// Measures fetches by running processes, each fetch with a new session, in alternating turns.
struct WarmTurns {
    private static let rounds = 12
    /// The turns of the two that differ by hundredths; with a quarter of these, two tables of one binary disagreed.
    private static let quickOnes = 32

    let work: Workplace

    struct Medians {
        var wall: Duration
        /// Per fetch, over all fetches.
        var processor: Duration
    }

    /// In the order: Countersign, the floor, the peers.
    func measure(_ ours: Fetcher, _ floor: Fetcher, _ peers: [Fetcher]) throws -> [Medians] {
        let processes = try ([ours, floor] + peers).map { try TurningProcess($0.turns(try work.folder())) }
        defer { for process in processes { process.stop() } }
        for process in processes { for _ in 0..<3 { _ = try process.turn() } }
        var walls = [[Duration]](repeating: [], count: processes.count)
        let before = processes.map(\.processorTime)
        for _ in 0..<Self.rounds {
            for _ in 0..<Self.quickOnes {
                for index in 0..<2 { walls[index].append(try processes[index].turn()) }
            }
            for index in 2..<processes.count { walls[index].append(try processes[index].turn()) }
        }
        let after = processes.map(\.processorTime)
        return walls.indices.map { index in
            Medians(wall: median(walls[index]), processor: (after[index] - before[index]) / walls[index].count)
        }
    }
}
