import AssistantProcesses
import AssistantStore
import AttestedKeys
import Clocks
import Encodings
import Foundation
import Hummingbird

/// Tells whether the service and its processes work.
struct HealthAPI: Sendable {
    /// A worker that was not seen for so many seconds counts as gone.
    static let workerGone: TimeInterval = 20

    private let database: AssistantDatabase
    private let processes: ProcessHealth
    private let evidence: EvidenceKind

    init(
        database: AssistantDatabase, enclave: EnclaveClient, keyService: KeyServiceClient, evidence: EvidenceKind,
        clock: BrokerClock
    ) {
        self.evidence = evidence
        self.database = database
        processes = ProcessHealth(enclave: enclave, keyService: keyService, clock: clock)
    }

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("healthz") { _, context in
            let isWorkerAlive: Bool
            do {
                isWorkerAlive = try await database.workers.isAlive(within: Self.workerGone)
            } catch {
                context.logger.error("the database does not answer", metadata: ["error": "\(error)"])
                throw AssistantError(
                    .serviceUnavailable, .unavailable, "the database does not answer; see the assistant's log")
            }
            let served = await processes.look()
            return Response.json([
                "status": "ok",
                "worker": isWorkerAlive ? "ok" : "unavailable",
                "enclave": served.enclave ? "ok" : "unavailable",
                "key_service": served.keyService ? "ok" : "unavailable",
                "provider": .string(evidence.rawValue),
                "protection": .string(evidence.protection),
            ])
        }
    }
}

/// Looks whether the other processes are served, at most once a second: anyone may ask.
private actor ProcessHealth {
    private let enclave: EnclaveClient
    private let keyService: KeyServiceClient
    private let clock: BrokerClock
    private var last: (time: Duration, look: Task<(enclave: Bool, keyService: Bool), Never>)?

    init(enclave: EnclaveClient, keyService: KeyServiceClient, clock: BrokerClock) {
        self.enclave = enclave
        self.keyService = keyService
        self.clock = clock
    }

    func look() async -> (enclave: Bool, keyService: Bool) {
        let now = clock.elapsed
        if let last, now - last.time < .seconds(1) { return await last.look.value }
        let look = Task { [enclave, keyService] in
            async let isEnclaveServed = enclave.isServed()
            async let isKeyServiceServed = keyService.isServed()
            return (enclave: await isEnclaveServed, keyService: await isKeyServiceServed)
        }
        last = (now, look)
        return await look.value
    }
}
