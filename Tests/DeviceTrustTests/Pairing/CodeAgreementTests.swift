import Secrets
import Testing

@testable import DeviceTrust

@Suite("The agreement that takes the code")
struct CodeAgreementTests {
    @Test("gives both sides the same secret for the same code, and others for any other code")
    func agreement() throws {
        let code = PairingCode(session: 17)
        let (phone, broker) = (try side(code), try side(code))
        let secret = try phone.secret(with: broker.share).secret
        #expect(try broker.secret(with: phone.share).secret.isEqual(to: secret))
        let stranger = try side(PairingCode(session: 17))
        #expect(try !stranger.secret(with: phone.share).secret.isEqual(to: phone.secret(with: stranger.share).secret))
    }

    // Which x coordinates are on the curve, was asked of Python's cryptography.
    @Test(
        "takes a share only if it is the x coordinate of a point, in its one spelling",
        arguments: [
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAU", true),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY", true),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE", false),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAc", false),
            ("__________________________________________8", false), ("", false), ("AAAA", false),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAU=", false),
        ])
    func shares(text: String, isShare: Bool) {
        #expect((CodeShare(text) != nil) == isShare)
    }

    private func side(_ code: PairingCode) throws -> CodeAgreement {
        try CodeAgreement(code: code, scalar: AgreementPrivateKey())
    }
}
