import DeviceTrust
import Foundation
import Machine
import Secrets

/// Keeps device keys in a TPM 2.0, which it asks with the programs of tpm2-tools.
///
/// A key is a primary key of the owner hierarchy: the TPM makes it again for each signature, from its own seed and from the
/// reference, which only the open vault gives. Nothing of it is stored, and another TPM makes another key of the same reference.
public struct TPMKeyMaker: DeviceKeyMaker {
    private let interface: String

    /// - Parameter interface: the TPM as tpm2-tools name it. The kernel's resource manager keeps other programs' keys apart.
    public init(interface: String = "device:/dev/tpmrm0") {
        self.interface = interface
    }

    public func make() async throws -> MadeDeviceKey {
        let reference = Secret(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
        return MadeDeviceKey(try await key(reference), reference: reference)
    }

    public func key(_ reference: Secret) async throws -> any DeviceKey {
        let pem = try await withKey(reference) { key, folder in
            try await run("tpm2_readpublic", ["-Q", "-c", key, "-f", "pem", "-o", folder.appending(path: "pem").path])
            return try String(contentsOf: folder.appending(path: "pem"), encoding: .utf8)
        }
        guard let publicKey = DevicePublicKey(pem: pem) else {
            throw TPMKeyError("the TPM's key is not one on P-256")
        }
        return TPMKey(publicKey: publicKey, reference: reference, maker: self)
    }

    func signature(of payload: [UInt8], with reference: Secret) async throws -> DeviceSignature {
        let der = try await withKey(reference) { key, folder in
            let (message, signature) = (folder.appending(path: "message"), folder.appending(path: "signature"))
            try Data(payload).write(to: message)
            try await run(
                "tpm2_sign",
                ["-Q", "-c", key, "-g", "sha256", "-s", "ecdsa", "-f", "plain", "-o", signature.path, message.path])
            return try Data(contentsOf: signature)
        }
        guard let signature = DeviceSignature(der: der) else { throw TPMKeyError("the TPM gave no ECDSA signature") }
        return signature
    }

    /// Loads a reference's key into the TPM, calls `use` with the key's context file and a new folder, and removes all three.
    private func withKey<Value>(
        _ reference: Secret, _ use: (String, URL) async throws -> Value
    ) async throws -> Value {
        // The reference must not come to a disk, where it outlives its removal.
        let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        guard FileManager.default.fileExists(atPath: memory.path) else {
            throw TPMKeyError("\(memory.path), which is kept in memory, is missing")
        }
        let folder = memory.appending(path: "tpm-key-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        // The template's field "unique", a TPMS_ECC_POINT in the byte order of tpm2-tools: the reference and zeros.
        let size: [UInt8] = [32, 0]
        let unique = folder.appending(path: "unique")
        try reference.withUnsafeBytes {
            try Data(size + $0 + size + [UInt8](repeating: 0, count: 32)).write(to: unique)
        }
        let context = folder.appending(path: "context").path
        do {
            try await run(
                "tpm2_createprimary",
                [
                    "-Q", "-C", "o", "-g", "sha256", "-G", "ecc256:ecdsa-sha256:null", "-a",
                    "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|sign", "-u", unique.path, "-c", context,
                ])
            let value = try await use(context, folder)
            try await run("tpm2_flushcontext", ["-t"])
            return value
        } catch {
            // A new task, because a cancelled one would end the program at once.
            await Task { try? await run("tpm2_flushcontext", ["-t"]) }.value
            throw error
        }
    }

    private func run(_ program: String, _ arguments: [String]) async throws {
        let environment = ["PATH": "/usr/bin:/bin", "TPM2TOOLS_TCTI": interface]
        let printed = await RunningProgram.printed(
            by: ["/usr/bin/\(program)"] + arguments, environment: environment, within: .seconds(20))
        guard printed != nil else { throw TPMKeyError("\(program) failed; is the TPM at \(interface)?") }
    }
}

/// A key in a TPM, whose private half never leaves it.
struct TPMKey: DeviceKey {
    let publicKey: DevicePublicKey
    let reference: Secret
    let maker: TPMKeyMaker

    func signature(of payload: [UInt8]) async throws -> DeviceSignature {
        try await maker.signature(of: payload, with: reference)
    }
}

/// The reason why a TPM gave no key or no signature.
public struct TPMKeyError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
