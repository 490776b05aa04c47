import AssistantProcesses
import AttestedKeys
import Encodings
import Foundation
import Logging
import Machine
import ServiceLifecycle

/// The process of the key service. It has the master keys, or the credentials for the AWS KMS that has them.
///
/// It opens a data key only for an enclave that passes the four checks of the policy (`assistant.md`, section 10.2).
package struct KeyServiceProcess: Service {
    private let configuration: KeyServiceConfiguration
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let onReady: @Sendable () -> Void

    package init(
        _ configuration: KeyServiceConfiguration, logger: Logger, now: @escaping @Sendable () -> Date = { Date() },
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
        try PrivateFolder.make(places.keyServiceSocket.deletingLastPathComponent())
        try PrivateFolder.make(configuration.folder)
        let changes = PolicyChanges(try BreakGlassLog(configuration.breakGlass))
        let service = try configuration.service(now: now) { try await changes.note($0, at: $1) }
        let calls = KeyServiceCalls(
            service: service, apiUser: places.apiUser, enclaveUser: places.enclaveUser, logger: logger, now: now)
        let server = ProcessSocketServer(
            at: places.keyServiceSocket, for: [places.apiUser, places.enclaveUser],
            reporting: { [logger] in logger.error("a call failed", metadata: ["error": "\($0)"]) },
            { try await calls.answer($0) })
        try await cancelWhenGracefulShutdown { try await server.run(onReady: onReady) }
    }
}

/// Answers the calls of the API and of the enclave.
struct KeyServiceCalls: Sendable {
    let service: any DataKeyService
    let apiUser: UInt32
    let enclaveUser: UInt32
    let logger: Logger
    let now: @Sendable () -> Date

    func answer(_ call: ProcessCall) async throws -> JSONValue {
        guard let method = KeyServiceMethod(rawValue: call.method) else {
            throw ProcessRefusal(
                "UNKNOWN_METHOD",
                "the key service knows \(KeyServiceMethod.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        do {
            switch method {
            case .publicKey:
                return Self.json(try await service.sealingKey())
            case .generate:
                guard call.user == apiUser else {
                    throw ProcessRefusal("FORBIDDEN_USER", "only the API's process may ask for new data keys")
                }
                let made = try await service.generateDataKey(TokenBinding(call))
                defer { made.dataKey.wipe() }
                return [
                    "data_key": .string(made.dataKey.withUnsafeBytes { Base64URL.encode($0) }),
                    "wrapped_data_key": .string(Base64URL.encode(made.wrapped)),
                ]
            case .challenge:
                try admitEnclave(call)
                return [
                    "nonce": .string(Base64URL.encode(await service.challenge(at: now()))),
                    "recipient": .string(service.recipient.rawValue),
                ]
            case .open:
                try admitEnclave(call)
                let dataKey = try await service.open(OpeningRequest(call), at: now())
                return ["data_key": .string(Base64URL.encode(dataKey))]
            }
        } catch let refused as OpeningRefused {
            logger.notice(
                "an opening was refused",
                metadata: [
                    "reasons": "\(refused.refusals.map(\.rawValue).joined(separator: " "))", "error": "\(refused)",
                ])
            throw ProcessRefusal(refused.reason.rawValue, refused.description)
        } catch let refusal as ProcessRefusal {
            throw refusal
        } catch {
            // A policy that cannot be used, a master key that is lost, a token that was changed.
            logger.error("a key cannot be used", metadata: ["error": "\(error)"])
            throw ProcessRefusal(EnclaveRefusal.keyUnavailable.rawValue, "\(error)")
        }
    }

    private static func json(_ key: SealingKey) -> JSONValue {
        var members: [String: JSONValue] = [
            "token_key_id": .string(key.reference.tokenKeyID),
            "token_version": .number(Double(key.reference.tokenVersion)),
        ]
        switch key {
        case .shared(let key): members["public_key"] = .string(Base64URL.encode(key.bytes))
        case .generating: members["generates_data_keys"] = true
        }
        return .object(members)
    }

    private func admitEnclave(_ call: ProcessCall) throws(ProcessRefusal) {
        guard call.user == enclaveUser else {
            throw ProcessRefusal("FORBIDDEN_USER", "only the enclave's process may ask for data keys")
        }
    }
}

/// Notices each change of the policy before the first decision by it, and writes it into the log of such changes.
actor PolicyChanges {
    private let log: BreakGlassLog
    private var known: KeyPolicy?
    private var last: Task<Void, any Error>?

    init(_ log: BreakGlassLog) {
        self.log = log
    }

    /// - Throws: the error of a log that cannot be written.
    func note(_ policy: KeyPolicy, at now: Date) async throws {
        let before = last
        // One after another: decisions at the same time note a change once.
        let note = Task {
            _ = await before?.result
            try await record(policy, at: now)
        }
        last = note
        try await note.value
    }

    private func record(_ policy: KeyPolicy, at now: Date) async throws {
        guard policy != known else { return }
        try await log.record("policy.in_force", policy.json, at: now)
        // Not before: a change that could not be recorded is tried again with the next decision.
        known = policy
    }
}
