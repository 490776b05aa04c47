import Foundation
import MockGoogle
import Secrets
import Testing

@testable import AssistantProcesses

@Suite("Google's consent and tokens") struct GoogleOAuthTests {
    @Test("PKCE's published example gives its challenge (RFC 7636, appendix B)")
    func proof() {
        let proof = ProofKey(verifier: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(proof.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(ProofKey().verifier.count == 43)
    }

    @Test("a consent is asked for, redeemed, refreshed and revoked")
    func road() async throws {
        try await GoogleStage.run { stage in
            let proof = ProofKey()
            let back = try await stage.consent(proof)
            #expect(back["state"] == "the state")
            let code = Secret(try #require(back["code"]))
            let consent = try await stage.oauth.redeem(code: code, proof: proof, redirectURI: GoogleStage.redirect)
            #expect(consent.scopes == [.calendar, .mail])
            let access = try await stage.oauth.refresh(consent.refreshToken)
            #expect(access.expiresIn == 3599)
            #expect(access.scopes == [.calendar, .mail])
            #expect(!access.token.isEqual(to: consent.accessToken))

            try await stage.oauth.revoke(consent.refreshToken)
            await #expect(throws: GoogleError.invalidGrant) { try await stage.oauth.refresh(consent.refreshToken) }
            // A consent that is gone already counts as revoked.
            try await stage.oauth.revoke(consent.refreshToken)
        }
    }

    @Test("the address asks for what the assistant reads, and for a refresh token")
    func address() async throws {
        try await GoogleStage.run { stage in
            let proof = ProofKey()
            let url = stage.oauth.authorizationURL(redirectURI: GoogleStage.redirect, state: "a b&c", proof: proof)
            let items = URLComponents(string: url)?.queryItems ?? []
            let query = Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
            #expect(
                query == [
                    "client_id": "mock-client", "redirect_uri": GoogleStage.redirect, "response_type": "code",
                    "scope":
                        "https://www.googleapis.com/auth/calendar.readonly https://www.googleapis.com/auth/gmail.readonly",
                    "state": "a b&c", "code_challenge": proof.challenge, "code_challenge_method": "S256",
                    "access_type": "offline", "prompt": "consent", "include_granted_scopes": "true",
                ])
        }
    }

    @Test("a code is redeemed once, with its own proof and redirect value")
    func codes() async throws {
        try await GoogleStage.run { stage in
            let proof = ProofKey()
            func code() async throws -> Secret { Secret(try #require(try await stage.consent(proof)["code"])) }
            func redeem(_ code: Secret, _ proof: ProofKey, _ redirect: String = GoogleStage.redirect) async throws {
                _ = try await stage.oauth.redeem(code: code, proof: proof, redirectURI: redirect)
            }
            let first = try await code()
            try await redeem(first, proof)
            await #expect(throws: GoogleError.invalidGrant) { try await redeem(first, proof) }
            let second = try await code()
            await #expect(throws: GoogleError.invalidGrant) { try await redeem(second, ProofKey()) }
            let third = try await code()
            await #expect(throws: GoogleError.invalidGrant) { try await redeem(third, proof, "http://127.0.0.1:1/x") }
        }
    }

    @Test("a scope less is granted as such, and a refusal brings no code")
    func fewer() async throws {
        try await GoogleStage.run { stage in
            let consent = try await stage.connect([.calendar])
            #expect(consent.scopes == [.calendar])
            #expect(GoogleScope.missing(from: consent.scopes) == [.mail])
            let back = try await stage.consent(ProofKey(), decision: "deny")
            #expect(back["error"] == "access_denied" && back["code"] == nil)
            await #expect(throws: GoogleError.forbidden(reason: "insufficientPermissions")) {
                try await MailClient(stage.api(consent.accessToken)).changes(since: nil)
            }
        }
    }

    @Test("Google's failures have their own errors, and show nothing of an answer")
    func failures() async throws {
        try await GoogleStage.run { stage in
            let token = try await stage.connect().refreshToken
            let table: [(MockAccount.Fault, GoogleError)] = [
                (.status(500), .unavailable("it answered 500")), (.status(503), .unavailable("it answered 503")),
                (.status(429, retryAfter: 7), .rateLimited(retryAfter: 7)),
                (.garbage, .malformed("a token answer is not JSON")),
            ]
            for (fault, error) in table {
                await stage.google.account.fail(fault)
                await #expect(throws: error) { try await stage.oauth.refresh(token) }
            }
            _ = try await stage.oauth.refresh(token)
        }
        let stage = try await GoogleStage { $0.clientSecret = "another" }
        await stage.google.stop()
        await #expect(throws: GoogleError.self) { try await stage.oauth.refresh(Secret("1//x")) }
    }

    @Test("a wrong client is refused by its code")
    func client() async throws {
        try await GoogleStage.run { stage in
            let consent = try await stage.connect()
            let other = GoogleOAuth(
                clientID: "another", clientSecret: nil, endpoints: stage.endpoints, over: stage.transport)
            await #expect(throws: GoogleError.refused(status: 401, reason: "invalid_client")) {
                try await other.refresh(consent.refreshToken)
            }
        }
    }
}
