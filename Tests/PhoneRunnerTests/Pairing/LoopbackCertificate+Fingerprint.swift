import DeviceTrust
import LoopbackTLS

extension LoopbackCertificate {
    var fingerprint: CertificateFingerprint { CertificateFingerprint(ofDER: der) }
}
