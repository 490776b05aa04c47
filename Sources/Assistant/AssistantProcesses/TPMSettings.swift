import AttestedKeys
import Foundation

/// The TPM of evidence by a TPM, and the registers that it is over.
package struct TPMSettings: Sendable {
    package enum KeyType: String, Sendable, CaseIterable {
        case ecc
        case rsa
    }

    /// The TPM's place, as tpm2-tools name it (`TPM2TOOLS_TCTI`).
    package var interface = "device:/dev/tpmrm0"
    package var selection = TPMRegisterSelection.boot
    /// The attestation key's type. Each TPM has RSA.
    package var keyType = KeyType.ecc
    /// The folders of tpm2-tools, with colons between them.
    package var path = "/usr/local/bin:/usr/bin:/bin"

    package init() {}

    package init(_ reader: inout SettingsReader) {
        interface = reader.value("ASSISTANT_TPM_TCTI") ?? interface
        path = reader.value("PATH") ?? path
        if let text = reader.value("ASSISTANT_TPM_PCRS") {
            if let selection = TPMRegisterSelection(text) {
                self.selection = selection
            } else {
                reader.add(
                    "ASSISTANT_TPM_PCRS is “\(text)”; it must be like \(selection), without 16 and 23, which any program "
                        + "can reset")
            }
        }
        if let text = reader.value("ASSISTANT_TPM_KEY_TYPE") {
            if let type = KeyType(rawValue: text) {
                keyType = type
            } else {
                reader.add("ASSISTANT_TPM_KEY_TYPE is “\(text)”; it must be ecc or rsa")
            }
        }
    }
}
