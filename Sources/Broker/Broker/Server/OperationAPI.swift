import BrokerStore
import Encodings
import Hummingbird

/// The routes without a token: `/healthz`, and `/metrics` for programs on the broker's own machine.
struct OperationAPI: Sendable {
    let database: BrokerDatabase
    let metrics: BrokerMetrics

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.get("healthz") { _, context in
            do {
                try await database.check()
            } catch {
                context.logger.error("the database does not answer", metadata: ["error": "\(error)"])
                throw APIError(.serviceUnavailable, .unavailable, "the database does not answer; see the broker's log")
            }
            return Response.json(["status": "ok"])
        }
        router.get("metrics") { request, context in
            // Behind a proxy on this machine, every caller would seem to be on this machine.
            let isForwarded = [.init("X-Forwarded-For")!, .init("Forwarded")!].contains { request.headers[$0] != nil }
            guard context.isFromThisMachine, !isForwarded else {
                throw APIError(.notFound, .notFound, "there is no such route")
            }
            let text = metrics.text(requests: try await database.requests.counts())
            return Response.text(text, type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }
}
