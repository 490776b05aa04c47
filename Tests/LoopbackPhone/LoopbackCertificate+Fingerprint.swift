import DeviceTrust
import LoopbackTLS

extension LoopbackCertificate {
    package var fingerprint: CertificateFingerprint { CertificateFingerprint(ofDER: der) }
}
