import AssistantStore
import Clocks
import Hummingbird

/// The metrics for Prometheus, on the service's own machine. Each sum is of all processes.
struct MetricsAPI: Sendable {
    let metrics: MetricStore
    let requests: PrivacyRequestStore
    let workers: WorkerStore
    let clock: BrokerClock

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("metrics") { request, context in
            // The service listens on this machine only, so other callers come through a proxy on it.
            let isForwarded = [.init("X-Forwarded-For")!, .init("Forwarded")!].contains { request.headers[$0] != nil }
            guard !isForwarded else {
                throw AssistantError(.notFound, .notFound, "there is no such route")
            }
            let text: String
            do {
                text = try await metrics.text() + deletions() + worker()
            } catch {
                context.logger.error("the metrics cannot be read", metadata: ["error": "\(error)"])
                throw AssistantError(
                    .serviceUnavailable, .unavailable, "the database does not answer; see the assistant's log")
            }
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }

    /// Tells whether a worker performs jobs: without one, nothing else is counted.
    private func worker() async throws -> String {
        let isAlive = try await workers.isAlive(within: HealthAPI.workerGone)
        let name = "countersign_assistant_worker_up"
        return """
            # HELP \(name) 1 while a worker performs jobs, and 0 otherwise.
            # TYPE \(name) gauge
            \(name) \(isAlive ? 1 : 0)

            """
    }

    /// Tells how long the oldest request to delete everything has waited: the promise is one day.
    private func deletions() async throws -> String {
        let oldest = try await requests.unfinished(atMost: 1).first
        let age = oldest.map { max(0, clock.now.timeIntervalSince($0.asked)) } ?? 0
        let name = "countersign_assistant_privacy_request_age_seconds"
        return """
            # HELP \(name) Age of the oldest request to delete everything that is not finished, or 0.
            # TYPE \(name) gauge
            \(name) \(age)

            """
    }
}
