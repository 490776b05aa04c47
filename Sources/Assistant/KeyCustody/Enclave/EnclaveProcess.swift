import AssistantProcesses
import AssistantStore
import AttestedKeys
import CurlClient
import Foundation
import Logging
import Machine
import ServiceLifecycle

/// The only process that opens tokens, and that calls Google's token endpoints with them.
///
/// With evidence made by software it is not a TEE: its wall against the other processes is that it runs as another user,
/// and against the machine's administrator it has none.
package struct EnclaveProcess: Service {
    private let configuration: EnclaveConfiguration
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let onReady: @Sendable () -> Void

    package init(
        _ configuration: EnclaveConfiguration, logger: Logger, now: @escaping @Sendable () -> Date = { Date() },
        onReady: @escaping @Sendable () -> Void = {}
    ) {
        self.configuration = configuration
        self.logger = logger
        self.now = now
        self.onReady = onReady
    }

    /// Serves until the task is cancelled or the service group shuts down.
    package func run() async throws {
        let places = configuration.places
        try PrivateFolder.make(places.enclaveSocket.deletingLastPathComponent())
        let provider = try await provider()
        let measurement = try await provider.measurement()
        let kind = configuration.evidence.kind
        logger.notice(
            "\(kind.protection)", metadata: ["provider": "\(kind.rawValue)", "measurement": "\(measurement)"])
        let database = try await AssistantDatabase.open(
            configuration.database.url, password: configuration.database.password,
            authorities: configuration.authorities)
        let calls = EnclaveCalls(
            database: database,
            opener: TokenOpener(keys: KeyServiceClient(places), provider: provider, now: now),
            google: configuration.google, curl: curl, kind: kind, measurement: measurement, logger: logger, now: now)
        let server = ProcessSocketServer(
            at: places.enclaveSocket, for: [places.apiUser],
            reporting: { [logger] in logger.error("a call failed", metadata: ["error": "\($0)"]) },
            { try await calls.answer($0) })
        do {
            try await cancelWhenGracefulShutdown { try await server.run(onReady: onReady) }
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private func provider() async throws -> any EvidenceProvider {
        let places = configuration.places
        switch configuration.evidence.kind {
        case .software:
            let key = try EvidenceKey(
                in: places.state.appending(path: "enclave", directoryHint: .isDirectory),
                publicPart: places.evidenceKey)
            return SoftwareEvidenceSigner(
                key: key.key, measurement: try await BlockingWork.run { try ExecutableMeasurement.ofThisProcess() })
        case .nitro:
            return NitroEvidence(configuration.evidence.nitroDevice)
        case .tpm:
            return try await TPMQuoting(
                configuration.evidence.tpm,
                in: places.state.appending(path: "enclave/tpm", directoryHint: .isDirectory),
                publicPart: places.tpmKey)
        }
    }

    private var curl: CurlConfiguration {
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.extraCAFile = configuration.authorities
        curl.limits.connect = .seconds(10)
        curl.limits.firstByte = .seconds(20)
        curl.limits.whole = .seconds(30)
        curl.limits.bodySize = 256 << 10
        return curl
    }
}
