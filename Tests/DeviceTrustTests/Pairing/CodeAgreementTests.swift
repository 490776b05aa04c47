import Encodings
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

    // Computed with Python's integers, from the curve's equation.
    @Test(
        "begins at the first of the code's candidates that is the x coordinate of a point",
        arguments: [
            // The candidates number 0, 1 and 3.
            ("01ABCDEJ", "ebb536666882be92215101650b915e5715b1abeb4abd694f55e5149ddd437411"),
            ("01ABCDEF", "42f6d29468a547b68bbdd8ab8c11aa2e23cdbdeb0a30f62c1afdc1c55bee29ac"),
            ("01ABCDEH", "b89561267337af642e0b52569e1c198e728b61d9901edc59d68b227810ff7382"),
        ])
    func generator(code: String, x: String) throws {
        let point = try CodeGenerator.generator(of: try #require(PairingCode(session: 17, code: code)))
        // Its first byte says that the y coordinate is even.
        #expect(Base16.encode(point.compressedRepresentation) == "02" + x)
    }

    private func side(_ code: PairingCode) throws -> CodeAgreement {
        try CodeAgreement(code: code, scalar: AgreementPrivateKey())
    }
}
