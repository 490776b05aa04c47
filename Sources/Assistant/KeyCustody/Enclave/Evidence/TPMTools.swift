import AssistantProcesses
import AttestedKeys
import Foundation
import Machine

/// The programs of tpm2-tools, which speak to the TPM.
struct TPMTools: Sendable {
    /// The time for one program. A TPM in hardware takes some seconds to make an RSA key.
    private static let limit: Duration = .seconds(60)

    /// A program and its arguments.
    typealias Command = (name: String, arguments: [String])

    private let paths: [String: String]
    private let environment: [String: String]
    /// One call at a time: a TPM without a resource manager has room for three keys, and what is removed after a call are
    /// the keys of every program that speaks to it.
    private let queue: TPMQueue
    /// A resource manager gives each program the whole room, and removes what the program has loaded at its end.
    private let hasResourceManager: Bool

    /// Finds the programs in `PATH`.
    ///
    /// - Parameters:
    ///   - interface: where the TPM is, as tpm2-tools name it, e.g. `device:/dev/tpmrm0`.
    ///   - path: folders with colons between them.
    /// - Throws: ``EnclaveError`` with the program that is missing.
    init(interface: String, path: String, queue: TPMQueue = TPMQueue()) throws(EnclaveError) {
        var paths: [String: String] = [:]
        for name in ["tpm2_createprimary", "tpm2_readpublic", "tpm2_quote", "tpm2_flushcontext"] {
            guard let found = InstalledProgram.path(of: name, in: path) else {
                throw EnclaveError(
                    "\(name) is not in PATH, and evidence by a TPM needs it; install it (Debian: apt install tpm2-tools)"
                )
            }
            paths[name] = found
        }
        self.paths = paths
        environment = ["PATH": path, "LANG": "C.UTF-8", "TPM2TOOLS_TCTI": interface]
        self.queue = queue
        hasResourceManager = Self.hasResourceManager(interface)
    }

    /// Returns true for the kernel's resource manager and for tpm2-abrmd (tpm2-tools, "tpm2-tools-tcti").
    static func hasResourceManager(_ interface: String) -> Bool {
        interface.hasPrefix("device:/dev/tpmrm") || interface.split(separator: ":").first == "tabrmd"
    }

    /// Runs programs one after the other, and then removes from the TPM what they have loaded.
    ///
    /// - Throws: ``EnclaveError``, `FileError`; ``EnclaveBusy`` when too many calls wait for the TPM.
    func run(_ commands: [Command]) async throws {
        try await queue.run {
            try await BlockingWork.run {
                defer { removeLoaded() }
                for command in commands { try run(command.name, command.arguments) }
            }
        }
    }

    /// Removes what programs have loaded into the TPM and left there, such as an enclave that was killed.
    func makeRoom() async throws { try await run([]) }

    private func removeLoaded() {
        guard !hasResourceManager else { return }
        try? run("tpm2_flushcontext", ["--transient-object"])
    }

    private func run(_ name: String, _ arguments: [String]) throws {
        guard let path = paths[name] else { throw EnclaveError("\(name) is not one of the programs that are used") }
        let program = try RunningProgram(
            [path] + arguments, environment: environment, output: .dropped, errors: .shown, limit: Self.limit)
        let end = program.end()
        guard end == .exited(0) else {
            throw EnclaveError(
                "\(name) failed (\(end)): the TPM at \(environment["TPM2TOOLS_TCTI"] ?? "") cannot be used. Its messages "
                    + "are above; check ASSISTANT_TPM_TCTI, and that this user may open the device")
        }
    }
}
