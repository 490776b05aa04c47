import ArgumentParser
import Foundation
import KeyCustody
import Terminal

struct AssistantEnclaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enclave", abstract: "Run the only process that opens tokens and shows them to Google.",
        discussion: """
            Its evidence is made by software unless ASSISTANT_EVIDENCE says otherwise: it is not a TEE. It then holds \
            against other users of this machine, who cannot read its signing key, and not against the machine's \
            administrator. Run it as a user of its own.

            Configured by environment variables:
              ASSISTANT_ENCLAVE_SOCKET           where it is called, by default in the state folder
              ASSISTANT_KMS_SOCKET               where the key service is called
              ASSISTANT_EVIDENCE                 what makes its evidence: software (default), nitro or tpm
              ASSISTANT_NITRO_DEVICE             the Nitro Secure Module, by default /dev/nsm
              ASSISTANT_TPM_TCTI                 the TPM, by default device:/dev/tpmrm0
              ASSISTANT_TPM_PCRS                 the registers of a quote, by default sha256:0,2,4,7,8,9
              ASSISTANT_TPM_KEY_FILE             where the TPM's key is enrolled, by default in the state folder
              ASSISTANT_TPM_KEY_TYPE             the type of that key: ecc (default) or rsa
              ASSISTANT_EVIDENCE_KEY_FILE        where it writes its public key for the key service
              ASSISTANT_API_USER                 the user who may call it, by default its own user
              ASSISTANT_KMS_USER                 the user who runs the key service, by default its own user
              ASSISTANT_DATABASE_URL, ASSISTANT_DATABASE_PASSWORD_FILE   as for the API
              ASSISTANT_GOOGLE_CLIENT_ID, …_CLIENT_SECRET_FILE, …_TOKEN_URL, …_REVOKE_URL   as for the API
              ASSISTANT_CA_FILE                  more certificate authorities for outgoing connections (PEM)
            """)

    @OptionGroup var options: ProcessOptions

    func run() async throws {
        try await reportingFailures {
            let configuration = try EnclaveConfiguration(environment: ProcessInfo.processInfo.environment)
            let logger = options.logger("enclave")
            let process = EnclaveProcess(
                configuration, logger: logger,
                onReady: {
                    logger.info(
                        "enclave is ready",
                        metadata: ["socket": "\(configuration.places.enclaveSocket.path)"])
                })
            try await options.run([process])
            logger.info("enclave has ended")
        }
    }
}
