import AttestedKeys
import Foundation

/// The maker of the enclave's evidence, and the evidence that the key service accepts.
package struct EvidenceSettings: Sendable {
    package var kind = EvidenceKind.software
    /// The Nitro Secure Module: its device, or a Unix socket that passes its messages on, each after its length in four
    /// bytes (big-endian).
    package var nitroDevice = URL(filePath: "/dev/nsm")
    /// SHA-256 of the only accepted root certificate of Nitro's documents (DER), in lower-case hex.
    package var nitroRoot = NitroEvidenceVerifier.rootDigest

    package var tpm = TPMSettings()

    package init() {}

    package init(_ reader: inout SettingsReader) {
        if let text = reader.value("ASSISTANT_EVIDENCE") {
            if let kind = EvidenceKind(rawValue: text) {
                self.kind = kind
            } else {
                let kinds = EvidenceKind.allCases.map(\.rawValue).joined(separator: ", ")
                reader.add("ASSISTANT_EVIDENCE is “\(text)”; it must be one of \(kinds)")
            }
        }
        if let path = reader.value("ASSISTANT_NITRO_DEVICE") { nitroDevice = URL(filePath: path) }
        if let text = reader.value("ASSISTANT_NITRO_ROOT_SHA256") {
            if text.wholeMatch(of: /[0-9a-f]{64}/) != nil {
                nitroRoot = text
            } else {
                reader.add("ASSISTANT_NITRO_ROOT_SHA256 must have 64 hexadecimal digits in lower case")
            }
        }
        tpm = TPMSettings(&reader)
    }
}
