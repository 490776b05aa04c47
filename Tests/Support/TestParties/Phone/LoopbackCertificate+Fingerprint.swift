import DeviceTrust
import TestServers

extension LoopbackCertificate {
    package var fingerprint: CertificateFingerprint { CertificateFingerprint(ofDER: der) }
}
