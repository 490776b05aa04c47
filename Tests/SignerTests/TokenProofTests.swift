import Messages
import Secrets
import Signer
import Testing

@Suite("A broker's proof that it knows a token")
struct TokenProofTests {
    private let token = Secret("a token of thirty-two characters")
    private let nonce = Nonce("00112233445566778899aabbccddeeff")!
    private let client = "127.0.0.1:50412"

    // Computed with Python's hashlib and hmac from the documentation.
    @Test("has the documented name and signature, also when only the token's SHA-256 is known")
    func vector() throws {
        let digest = "c4ee0d476fe10db47ea6f212aaba56f28e58575ae24007df2f433b5f905fbcaa"
        for proof in [TokenProof(token: token), try #require(TokenProof(digest: digest))] {
            #expect(proof.tokenID == "jT4cVXYDNyvxpucJ5TuUUQ")
            let signature = proof.proof(of: nonce, at: "127.0.0.1:8765", for: client)
            #expect(signature == "_NvEoECx-6BlmjpRYmwr1w8L0ftGzTviSRb4KgTAfsg")
            #expect(proof.isValid(signature, of: nonce, at: "127.0.0.1:8765", for: client))
        }
    }

    @Test("is valid for one token, one nonce and the two ends of one connection, in one spelling")
    func others() {
        let proof = TokenProof(token: token)
        let signature = proof.proof(of: nonce, at: "127.0.0.1:8765", for: client)
        #expect(!proof.isValid(signature, of: Nonce(), at: "127.0.0.1:8765", for: client))
        #expect(!proof.isValid(signature, of: nonce, at: "[::1]:8765", for: client))
        #expect(!proof.isValid(signature, of: nonce, at: "127.0.0.1:8765", for: "127.0.0.1:50413"))
        let other = TokenProof(token: Secret("another token"))
        #expect(!other.isValid(signature, of: nonce, at: "127.0.0.1:8765", for: client))
        for spelling in ["", signature + "=", String(signature.dropLast()), signature + "A", "é"] {
            #expect(!proof.isValid(spelling, of: nonce, at: "127.0.0.1:8765", for: client), "\(spelling)")
        }
    }

    @Test("is made of no other digest", arguments: ["", "c4ee", "C4EE", String(repeating: "g", count: 64)])
    func digests(_ text: String) {
        #expect(TokenProof(digest: text) == nil)
    }
}
