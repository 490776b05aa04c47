import AssistantProcesses
import AttestedKeys
import Encodings
import Foundation
import Machine

/// Evidence by a TPM 2.0: quotes that its attestation key signs.
///
/// The key is a primary key of the endorsement hierarchy, so the TPM makes the same one at each start and nothing of it is
/// stored. It is restricted: it signs nothing from outside that looks like a statement of the TPM.
struct TPMQuoting: EvidenceProvider {
    private let tools: TPMTools
    private let selection: TPMRegisterSelection
    private let folder: URL

    private var context: URL { folder.appending(path: "attestation-key.context") }

    /// Makes the attestation key, and enrols it when none is.
    ///
    /// - Parameters:
    ///   - folder: of this process alone. Its old content is removed.
    ///   - publicPart: the enrolled key (PEM), which the key service reads.
    /// - Throws: ``EnclaveError``, `FileError`.
    init(_ settings: TPMSettings, in folder: URL, publicPart: URL) async throws {
        tools = try TPMTools(interface: settings.interface, path: settings.path)
        selection = settings.selection
        self.folder = folder
        try? FileManager.default.removeItem(at: folder)
        try PrivateFolder.make(folder)
        let made = folder.appending(path: "attestation-key.pem")
        let algorithm = settings.keyType == .ecc ? "ecc256:ecdsa-sha256:null" : "rsa2048:rsassa-sha256:null"
        try await tools.makeRoom()
        try await tools.run([
            (
                "tpm2_createprimary",
                [
                    "-Q", "-C", "e", "-g", "sha256", "-G", algorithm, "-a",
                    "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|sign", "-c", context.path,
                ]
            ), ("tpm2_readpublic", ["-Q", "-c", context.path, "-f", "pem", "-o", made.path]),
        ])
        let key = try OpenedFile(made).bytes(atMost: 4096)
        guard let enrolled = try PinnedKeyFile.published(in: publicPart) else {
            try PinnedKeyFile.publish(key, to: publicPart)
            return
        }
        guard enrolled == key else {
            throw EnclaveError(
                "\(publicPart.path) has the key of another TPM, or of another type. If this machine is to take its place, "
                    + "remove the file; the next start enrols this TPM's key")
        }
    }

    func evidence(nonce: [UInt8], publicKey: [UInt8], at now: Date) async throws -> [UInt8] {
        let call = TPMEvidence.Call(nonce: nonce, publicKey: publicKey, at: now)
        let (quote, signature) = try await quote(call)
        return TPMEvidence(quote: quote, signature: signature, call: call).encoded
    }

    func measurement() async throws -> String {
        let call = TPMEvidence.Call(nonce: [], publicKey: [], at: .distantPast)
        return try TPMEvidence.measurement(in: try await quote(call).quote)
    }

    private func quote(_ call: TPMEvidence.Call) async throws -> (quote: [UInt8], signature: [UInt8]) {
        let name = UUID().uuidString
        let (quote, signature) = (
            folder.appending(path: "\(name).quote"), folder.appending(path: "\(name).signature")
        )
        defer {
            unlink(quote.path)
            unlink(signature.path)
        }
        try await tools.run([
            (
                "tpm2_quote",
                [
                    "-Q", "-c", context.path, "-l", selection.description, "-q", Base16.encode(call.qualifyingData),
                    "-g", "sha256", "-m", quote.path, "-s", signature.path,
                ]
            )
        ])
        return (try OpenedFile(quote).bytes(atMost: 4096), try OpenedFile(signature).bytes(atMost: 4096))
    }
}
