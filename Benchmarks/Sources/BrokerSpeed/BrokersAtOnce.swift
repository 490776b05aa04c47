import Foundation
import Synchronization

/// The status polls that two brokers on one machine answer at the same time, beside those that one answers alone. Each has
/// its own agents.
struct BrokersAtOnce {
    /// In polls a second, of both together.
    let together: Double
    let alone: Double

    private static let turn = Duration.milliseconds(250)

    init(_ brokers: [BrokerProcess.Ports], rounds: Int) throws {
        let loads = try brokers.map { Load("GET", try Load.pathsOfNewRequests(port: $0.broker), port: $0.broker) }
        var (both, single) = ([Double](), [Double]())
        for _ in 0..<rounds {
            single.append(loads[0].rate(for: Self.turn))
            let sum = Mutex(0.0)
            DispatchQueue.concurrentPerform(iterations: loads.count) { index in
                let rate = loads[index].rate(for: Self.turn)
                sum.withLock { $0 += rate }
            }
            both.append(sum.withLock { $0 })
        }
        together = both.sorted()[rounds / 2]
        alone = single.sorted()[rounds / 2]
    }
}
