import Clocks
import CurlClient
import Foundation
import Secrets
import TestServers

/// Connections that send heads and bodies byte by byte, or nothing, while honest requests must be answered.
struct SlowConnections {
    let extent: Extent

    func run() async throws -> Tally {
        try await Stage.with { stage in
            let broker = try stage.realBroker()
            try await stage.answers(broker)
            let slow = try (0..<extent.count).map { _ in try RawConnection(port: stage.port) }
            for (number, connection) in slow.enumerated() where number % 4 != 0 {
                connection.write("POST /request HTTP/1.1\r\nHost: x\r\n")
                if number.isMultiple(of: 2) {
                    connection.write("Authorization: Bearer \(Stage.agentToken)\r\nContent-Length: 900\r\n\r\n{")
                }
            }
            let dripping = Task {
                while !Task.isCancelled {
                    for (number, connection) in slow.enumerated() where number % 4 != 0 {
                        connection.write(number.isMultiple(of: 2) ? " " : "X-\(number): y\r\n")
                    }
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
            var tally = Tally()
            var times: [Duration] = []
            // In the full form this exceeds the broker's time limits for a head (10 s) and a body (15 s).
            while !extent.isOver || tally.tried < 100 {
                tally.tried += 1
                let started = ContinuousClock.now
                // Every fourth request on its own connection, which must be accepted among all the others.
                let trouble = await honest(stage, onItsOwn: tally.tried.isMultiple(of: 4))
                times.append(ContinuousClock.now - started)
                if let trouble { tally.lose(trouble) } else { tally.survived += 1 }
                try await Task.sleep(for: .milliseconds(20))
            }
            dripping.cancel()
            let closed = slow.filter(\.isClosed).count
            if extent.isFull, closed < slow.count * 3 / 4 { tally.fault("only \(closed) slow connections were closed") }
            await broker.stopped()
            times.sort()
            let late = times[times.count * 99 / 100]
            if late > .seconds(2) { tally.fault("the 99th percentile is \(late)") }
            let milliseconds = late.components.seconds * 1000 + late.components.attoseconds / 1_000_000_000_000_000
            tally.seen = "beside \(slow.count) slow ones, 99 % within \(milliseconds) ms; \(closed) were closed"
            return tally
        }
    }

    private func honest(_ stage: Stage, onItsOwn: Bool) async -> String? {
        do {
            guard onItsOwn else {
                _ = try await stage.ask()
                return nil
            }
            let session = CurlSession()
            let answer = try await session.send(HTTPRequest("GET", stage.url + "/healthz"))
            await session.close()
            return answer.status == 200 ? nil : "a request was answered \(answer.status)"
        } catch {
            return "a request was not answered: \(error)"
        }
    }
}
