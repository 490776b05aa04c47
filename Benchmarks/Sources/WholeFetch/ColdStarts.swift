import Foundation
import Measuring

/// Measures cold fetches: a process starts, reads what it needs, fetches, and ends.
struct ColdStarts {
    private static let rounds = 7
    /// Fast ones run more often, because their differences are smaller.
    private static let quickOnes = 5

    let launching: Launching
    let work: Workplace

    /// The medians, in the order: Countersign, the floor, the peers.
    func measure(_ ours: Fetcher, _ floor: Fetcher, _ peers: [Fetcher]) throws -> [Cost] {
        let fetchers = [ours, floor] + peers
        let expected = try fetch(floor).statement
        func cost(_ fetcher: Fetcher, lookingAtTree: Bool = false) throws -> Cost {
            let (cost, statement) = try fetch(fetcher, lookingAtTree: lookingAtTree)
            guard statement == expected else { fatalError("\(fetcher.name) fetched another statement") }
            return cost
        }
        // Run once uncounted, so that all files are cached.
        for fetcher in fetchers { _ = try cost(fetcher) }
        var costs = [[Cost]](repeating: [], count: fetchers.count)
        for _ in 0..<Self.rounds {
            for _ in 0..<Self.quickOnes {
                for index in 0..<2 { costs[index].append(try cost(fetchers[index])) }
            }
            for index in 2..<fetchers.count { costs[index].append(try cost(fetchers[index])) }
        }
        return try zip(fetchers, costs).map { fetcher, costs in
            let memory = try fetcher.isTree ? [cost(fetcher, lookingAtTree: true).memory] : costs.map(\.memory)
            return Cost(
                wall: median(costs.map(\.wall)), processor: median(costs.map(\.processor)), memory: memory.max() ?? 0)
        }
    }

    private func fetch(_ fetcher: Fetcher, lookingAtTree: Bool = false) throws -> (cost: Cost, statement: Data) {
        let folder = try work.folder()
        let cost = try launching.run(fetcher.once(folder), lookingAtTree: lookingAtTree)
        return (cost, try work.statement(in: folder))
    }
}
