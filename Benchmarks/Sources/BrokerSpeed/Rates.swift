import Foundation
import Measuring

/// Measures rates per second: medians of many short alternating turns, because the speeds of disk and machine change from
/// one second to the next.
struct Rates {
    struct OfBroker {
        var emptyRoute = 0.0
        var polls = 0.0
        var requests = 0.0
    }

    private(set) var ofBrokers: [OfBroker]
    private(set) var ofBareInserts = 0.0

    private static let turn = Duration.milliseconds(250)

    init(of brokers: [BrokerProcess.Ports], _ bare: BareInserts, rounds: Int) async throws {
        let loads = try brokers.map { ports in
            let polled = try Load.pathsOfNewRequests(port: ports.broker)
            return (
                emptyRoute: Load("GET", ["/empty"], port: ports.emptyRoute),
                polls: Load("GET", polled, port: ports.broker),
                requests: Load("POST", ["/request"], port: ports.broker)
            )
        }
        var inserts: [Double] = []
        var turns = loads.map { _ in [OfBroker]() }
        for _ in 0..<rounds {
            inserts.append(try await bare.rate(for: Self.turn / .seconds(1)))
            for (index, load) in loads.enumerated() {
                turns[index].append(
                    OfBroker(
                        emptyRoute: load.emptyRoute.rate(for: Self.turn), polls: load.polls.rate(for: Self.turn),
                        requests: load.requests.rate(for: Self.turn)))
            }
        }
        ofBareInserts = Self.median(inserts)
        ofBrokers = turns.map { turns in
            OfBroker(
                emptyRoute: Self.median(turns.map(\.emptyRoute)), polls: Self.median(turns.map(\.polls)),
                requests: Self.median(turns.map(\.requests)))
        }
    }

    private static func median(_ rates: [Double]) -> Double { rates.sorted()[rates.count / 2] }
}
