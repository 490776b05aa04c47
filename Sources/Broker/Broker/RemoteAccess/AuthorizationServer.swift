import BrokerStore
import Clocks
import Encodings
import Foundation
import Messages
import Secrets

import struct Crypto.SHA256

/// The authorization server of programs elsewhere: OAuth 2.1 (draft-ietf-oauth-v2-1) with codes, PKCE and rotating refresh
/// tokens, for public clients and one resource. Who allows is a person at the household's page; this server only waits.
struct AuthorizationServer: Sendable {
    /// The only scope: what an agent can do, within the limits that the person sets.
    static let scope = "documents"
    static let askLife: TimeInterval = 600
    static let codeLife: TimeInterval = 60
    static let accessLife: TimeInterval = 600
    static let refreshLife: TimeInterval = 30 * 86_400
    /// The most programs that may wait for a person at a time.
    static let mostWaiting = 16

    let clients: ClientStore
    let clock: BrokerClock
    let descriptions: ClientDescriptions
    /// The issuer (RFC 8414, section 2): an origin.
    let issuer: String

    var resource: String { issuer + "/mcp" }

    // MARK: What others read

    /// RFC 9728, section 2.
    var resourceMetadata: JSONValue {
        [
            "resource": .string(resource), "authorization_servers": [.string(issuer)],
            "scopes_supported": [.string(Self.scope)], "bearer_methods_supported": ["header"],
            "resource_name": "Countersign: bank statements with a person's say-so",
        ]
    }

    /// RFC 8414, section 2.
    var metadata: JSONValue {
        [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "registration_endpoint": .string(issuer + "/register"),
            "revocation_endpoint": .string(issuer + "/revoke"), "scopes_supported": [.string(Self.scope)],
            "response_types_supported": ["code"], "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"], "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true, "client_id_metadata_document_supported": true,
        ]
    }

    // MARK: Asking

    /// A question that waits now, and what the browser keeps and shows of it.
    struct Asked: Sendable {
        let ask: ClientAsk
        let browser: Secret
        let number: Secret
    }

    /// A refusal that the program hears when the person follows a link, because its address is registered. The person has
    /// decided nothing yet, and every program may register every address, so that no browser goes there by itself
    /// (RFC 9700, section 4.11.2).
    struct Returned: Error {
        let error: OAuthError
        let address: String
        /// The part of the address by which a person knows it.
        let place: String
    }

    /// Checks a call of the authorization endpoint, and stores the question.
    ///
    /// - Parameter origin: what counts as the address of the browser.
    /// - Throws: ``OAuthError`` for the person to read; ``Returned`` for the program.
    func ask(_ parameters: OAuthParameters, from origin: String) async throws -> Asked {
        let client = try await descriptions.description(of: try parameters.text("client_id"))
        let redirectURI = try parameters.text("redirect_uri")
        guard let address = ReturnAddress(redirectURI), client.returnAddresses.contains(where: { $0.admits(address) })
        else { throw OAuthError(.invalidRedirectURI, "redirect_uri is not one that the program has registered") }
        let state: String?
        do throws(OAuthError) {
            state = try parameters["state"].map { _ throws(OAuthError) in try parameters.text("state", atMost: 1_024) }
            guard parameters["response_type"] == "code" else {
                throw OAuthError(.unsupportedResponseType, "response_type must be code")
            }
            guard parameters["code_challenge_method"] == "S256", let challenge = parameters["code_challenge"],
                Base64URL.decode(challenge)?.count == 32
            else { throw OAuthError(.invalidRequest, "code_challenge must be there, of the method S256") }
            guard parameters["resource"] == resource else {
                throw OAuthError(.invalidTarget, "resource must be the address of this server: \(resource)")
            }
            let ask = ClientAsk(
                name: client.name, clientID: client.id, redirectURI: redirectURI, challenge: challenge, state: state,
                resource: resource, expiresAt: Timestamp(clock.now.addingTimeInterval(Self.askLife)))
            return try await store(ask, from: origin)
        } catch {
            throw Returned(
                error: error, address: returning(error, to: address, parameters["state"]), place: address.place)
        }
    }

    private func store(_ ask: ClientAsk, from origin: String) async throws(OAuthError) -> Asked {
        let browser = Self.token("csb_")
        let number = ClientNumber.make()
        do {
            guard
                try await clients.add(
                    ask, number: number.digest, browser: browser.digest, from: origin, atMost: Self.mostWaiting)
            else { throw OAuthError(.temporarilyUnavailable, "too many programs wait; try again in ten minutes") }
        } catch let error as OAuthError {
            throw error
        } catch {
            throw OAuthError(.temporarilyUnavailable, "the broker's database cannot be written; try again")
        }
        return Asked(ask: ask, browser: browser, number: number)
    }

    private func returning(_ error: OAuthError, to address: ReturnAddress, _ state: String?) -> String {
        var parameters = [("error", error.code.rawValue), ("error_description", error.message)]
        if let state, state.utf8.count <= 1_024 { parameters.append(("state", state)) }
        parameters.append(("iss", issuer))
        return address.with(parameters.map { (name: $0.0, value: $0.1) })
    }

    /// The answer to a browser that waits.
    enum Waiting: Sendable {
        case waits
        case over
        case returns(to: Secret, isOfWeb: Bool)
    }

    func wait(for id: RequestID, in browser: Secret) async throws -> Waiting {
        let code = Self.token("csc_")
        let end = Timestamp(clock.now.addingTimeInterval(Self.codeLife))
        switch try await clients.answer(id, in: browser.digest, with: code.digest, endingAt: end) {
        case .waiting: return .waits
        case .over: return .over
        case .answered(let ask, let isAllowed):
            guard let address = ReturnAddress(ask.redirectURI) else { return .over }
            guard isAllowed else {
                let denied = OAuthError(.accessDenied, "the person does not allow it")
                return .returns(to: Secret(returning(denied, to: address, ask.state)), isOfWeb: address.isOfWeb)
            }
            let target = code.map { code in
                var parameters = [(name: "code", value: code)]
                if let state = ask.state { parameters.append((name: "state", value: state)) }
                parameters.append((name: "iss", value: issuer))
                return address.with(parameters)
            }
            return .returns(to: target, isOfWeb: address.isOfWeb)
        }
    }

    // MARK: Tokens

    /// Answers a call of the token endpoint.
    ///
    /// - Returns: the answer, which holds the tokens.
    /// - Throws: ``OAuthError``.
    func tokens(_ parameters: OAuthParameters) async throws -> Secret {
        guard parameters["client_secret"] == nil, parameters["client_assertion"] == nil else {
            throw OAuthError(.invalidClient, "programs have no secret here, and authenticate by the method none")
        }
        let clientID = try parameters.text("client_id")
        // A program that names no server means the only one; one that names another is not served.
        guard parameters["resource"] ?? resource == resource else {
            throw OAuthError(.invalidTarget, "resource must be the address of this server: \(resource)")
        }
        let (access, refresh) = (Self.token("csa_"), Self.token("csr_"))
        let pair = TokenPair(
            access: access.digest, refresh: refresh.digest,
            accessEndsAt: Timestamp(clock.now.addingTimeInterval(Self.accessLife)),
            refreshEndsAt: Timestamp(clock.now.addingTimeInterval(Self.refreshLife)))
        let outcome: ClientStore.Redemption
        switch parameters["grant_type"] {
        case "authorization_code":
            let verifier = try parameters.secret("code_verifier")
            outcome = try await clients.redeem(
                code: try parameters.secret("code").digest, ofClient: clientID,
                returningTo: try parameters.text("redirect_uri"), challenge: verifier.challenge, resource: resource,
                for: pair)
        case "refresh_token":
            outcome = try await clients.renew(
                refresh: try parameters.secret("refresh_token").digest, ofClient: clientID, resource: resource,
                for: pair)
        case nil: throw OAuthError(.invalidRequest, "grant_type is missing")
        default:
            throw OAuthError(.unsupportedGrantType, "grant_type must be authorization_code or refresh_token")
        }
        switch outcome {
        case .granted:
            return access.map { access in
                refresh.map { refresh in
                    JSONValue.object([
                        "access_token": .string(access), "refresh_token": .string(refresh), "token_type": "Bearer",
                        "expires_in": .number(Self.accessLife), "scope": .string(Self.scope),
                    ]).compactText()
                }.revealed()
            }
        case .refused:
            throw OAuthError(.invalidGrant, "unknown, ended, or of another program; ask the person again")
        case .stolen:
            throw OAuthError(.invalidGrant, "used before, so that it may be stolen; ask the person again")
        }
    }

    /// Ends a program's tokens (RFC 7009). An unknown token is not an error (section 2.2).
    ///
    /// - Throws: ``OAuthError``.
    func revoke(_ parameters: OAuthParameters) async throws {
        try await clients.revoke(
            try parameters.secret("token").digest, ofClient: try parameters.text("client_id"))
    }

    /// Returns the agent of an access token for this server, and the token's end.
    func agent(showing token: Secret) async throws -> (name: AgentName, endsAt: Timestamp)? {
        try await clients.agent(withAccess: token.digest, to: resource)
    }

    /// Returns the agent of a token that is known, also of one that has ended or was used; nil for a stranger's.
    func holder(of token: Secret) async throws -> AgentName? { try await clients.holder(of: token.digest) }

    /// Returns the agent whose code or token comes with a call; nil for a stranger's.
    func holder(showing parameters: OAuthParameters) async throws -> AgentName? {
        for name in ["code", "refresh_token", "token"] where parameters[name] != nil {
            if let agent = try await holder(of: try parameters.secret(name)) { return agent }
        }
        return nil
    }

    /// Makes a code or a token of 256 random bits. The beginning says to a reader of a log what it is.
    private static func token(_ kind: String) -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(kind + Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }
}

extension Secret {
    /// The form in which the database has it.
    fileprivate var digest: TokenDigest { withUnsafeBytes { TokenDigest(of: $0) } }

    /// The challenge of a verifier, of the method S256 (RFC 7636, section 4.2).
    fileprivate var challenge: String {
        withUnsafeBytes { Base64URL.encode(Array(SHA256.hash(data: $0))) }
    }
}
