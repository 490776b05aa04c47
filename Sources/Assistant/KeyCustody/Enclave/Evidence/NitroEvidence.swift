import AttestedKeys
import CLinux
import Foundation
import Machine

/// Evidence by the Nitro Secure Module of an AWS Nitro enclave: its attestation document.
struct NitroEvidence: EvidenceProvider {
    private let module: any NitroModule

    /// - Parameter device: the module's device, or a Unix socket that passes its messages on.
    init(_ device: URL) {
        var status = stat()
        let isSocket = stat(device.path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        module = isSocket ? NitroModuleSocket(device) : NitroModuleDevice(file: device)
    }

    /// The module states the time by its own clock.
    func evidence(nonce: [UInt8], publicKey: [UInt8], at now: Date) async throws -> [UInt8] {
        try await document(NitroModuleMessage.attestation(nonce: nonce, publicKey: publicKey))
    }

    func measurement() async throws -> String {
        try NitroEvidenceVerifier.measurement(in: await document(NitroModuleMessage.attestation()))
    }

    private func document(_ request: [UInt8]) async throws -> [UInt8] {
        try NitroModuleMessage.document(in: await module.response(to: request))
    }
}

/// Answers the messages of ``NitroModuleMessage``.
private protocol NitroModule: Sendable {
    func response(to request: [UInt8]) async throws -> [UInt8]
}

/// The module's device, which an enclave has at `/dev/nsm`.
private struct NitroModuleDevice: NitroModule {
    let file: URL

    func response(to request: [UInt8]) async throws -> [UInt8] {
        try await BlockingWork.run {
            let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.failure("opened", file, errno) }
            defer { close(descriptor) }
            var response = [UInt8](repeating: 0, count: NitroModuleMessage.limit)
            var length = response.count
            let code = nitro_module_exchange(descriptor, request, request.count, &response, &length)
            guard code == 0, length <= response.count else { throw Self.failure("asked", file, code) }
            return Array(response.prefix(length))
        }
    }

    private static func failure(_ verb: String, _ file: URL, _ code: Int32) -> EnclaveError {
        EnclaveError(
            "the Nitro Secure Module at \(file.path) cannot be \(verb): \(String(cString: strerror(code))). Only a Nitro "
                + "enclave has one; elsewhere set ASSISTANT_EVIDENCE to tpm or software")
    }
}

/// A socket that passes the messages on to a module. Its evidence is signed by the module, so the socket is not trusted.
private struct NitroModuleSocket: NitroModule {
    private let socket: ProcessSocketClient

    init(_ file: URL) {
        var limits = ProcessSocketClient.Limits()
        limits.frame = NitroModuleMessage.limit
        limits.call = .seconds(20)
        socket = ProcessSocketClient(file, servedBy: [0, geteuid()], limits: limits)
    }

    func response(to request: [UInt8]) async throws -> [UInt8] { try await socket.exchange(request) }
}
