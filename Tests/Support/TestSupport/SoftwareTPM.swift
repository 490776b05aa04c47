import Foundation
import Machine
import Testing

/// A TPM 2.0 in software (swtpm), behind a Unix socket in a folder of its own. It ends with this object.
package final class SoftwareTPM: Sendable {
    package let folder: TemporaryFolder
    private let process: RunningProgram

    package init() async throws {
        folder = try TemporaryFolder()
        let program = try #require(Peers.program("swtpm"))
        let (path, state) = (folder.appending("tpm.sock").path, folder.url.path)
        process = try RunningProgram(
            [
                program.path, "socket", "--tpm2", "--tpmstate", "dir=\(state)", "--server", "type=unixio,path=\(path)",
                "--ctrl", "type=unixio,path=\(path).ctrl", "--flags", "not-need-init,startup-clear",
            ], environment: nil, output: .dropped)
        let end = ContinuousClock.now + .seconds(60)
        while access("\(path).ctrl", F_OK) != 0 {
            guard process.isRunning, ContinuousClock.now < end else { throw POSIXError(.ETIMEDOUT) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    deinit { end() }

    /// Takes the TPM away.
    package func end() {
        process.kill()
        process.end()
    }

    /// The TPM's address, as tpm2-tools name it.
    package var interface: String { "swtpm:path=\(folder.appending("tpm.sock").path)" }

    /// Measures something into a register.
    package func extend(_ register: Int, _ digest: String) async throws {
        _ = try await run("tpm2_pcrextend", ["\(register):sha256=\(digest)"])
    }

    /// Loads keys until the TPM has no room for another.
    package func fill() async throws {
        for number in 0..<16 {
            let key = folder.appending("filling-\(number).context").path
            let outcome = try await outcome(
                "tpm2_createprimary",
                [
                    "-Q", "-C", "e", "-g", "sha256", "-G", "ecc256:ecdsa-sha256:null", "-a",
                    "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|sign", "-c", key,
                ])
            if outcome.status != 0 {
                try #require(number > 0, "\(outcome.text)")
                return
            }
        }
        Issue.record("the TPM has more room than expected")
    }

    /// Returns the number of keys that are loaded.
    package func loaded() async throws -> Int {
        try await run("tpm2_getcap", ["handles-transient"]).split(separator: "\n").count
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let outcome = try await outcome(program, arguments)
        try #require(outcome.status == 0, "\(outcome.text)")
        return outcome.text
    }

    private func outcome(_ program: String, _ arguments: [String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(
            try #require(Peers.program(program)), arguments,
            environment: ["PATH": "/usr/bin:/bin", "TPM2TOOLS_TCTI": interface])
    }
}
