/// A credential that the person gives, exchanged for others that the phone keeps and renews.
///
///     exchange: { claim: $setup_token, gives: [username, password] }
///     exchange: { authorize: https://auth.bank.example/, token: /oauth2/token, client: $client_id, secret: $client_secret }
///     exchange: { device: /oauth2/device, token: /oauth2/token, client: $client_id }
///     exchange: { ask: [request: { POST: /auth }], page: $.url, redeem: [request: { POST: /sessions }] }
public struct CredentialExchange: Sendable, Hashable {
    public enum Way: Sendable, Hashable {
        /// The credential is the base64 of an address on the script's first origin. It is asked once, and answers with an address
        /// that holds a user and a password (SimpleFIN Protocol, 14 November 2025).
        case claim(setup: String, gives: [String])
        /// An authorization code for which the owner says yes in a browser (RFC 6749, section 4.1, with the proof key of RFC 7636).
        case authorize(AuthorizationPage, TokenEndpoint)
        /// A code that the owner types on another device (RFC 8628).
        case device(address: Template, TokenEndpoint)
        /// A session that the owner opens at a page which the bank's answer names.
        case session(OwnersSession)
    }

    /// The page at which the owner says yes.
    public struct AuthorizationPage: Sendable, Hashable {
        /// The owner's browser opens it; the phone does not contact it.
        public var address: String
        /// The address to which the page leads back, where the provider wants one that was registered. Nil for a free port of this
        /// machine (RFC 8252, section 7.3). A credential where each person registers an address of their own.
        public var redirect: Value?

        public init(_ address: String, redirect: Value? = nil) {
            self.address = address
            self.redirect = redirect
        }
    }

    /// The place where codes and refresh tokens become access tokens (RFC 6749, section 3.2).
    public struct TokenEndpoint: Sendable, Hashable {
        /// The way in which the client's secret leaves (RFC 6749, section 2.3.1).
        public enum Secret: Sendable, Hashable {
            case form(String)
            case basic(String)

            /// The name of the credential.
            public var name: String {
                switch self {
                case .form(let name), .basic(let name): name
                }
            }
        }

        public var address: Template
        /// The client's id: a credential, or a text.
        public var client: Value
        /// Nil for a public client.
        public var secret: Secret?
        public var scope: String?

        public init(_ address: Template, client: Value, secret: Secret? = nil, scope: String? = nil) {
            self.address = address
            self.client = client
            self.secret = secret
            self.scope = scope
        }
    }

    public var way: Way

    public init(_ way: Way) {
        self.way = way
    }

    /// The name of what a token endpoint gives (RFC 6749, section 5.1).
    package static let accessToken = "access_token"

    /// The names of the credentials that the phone keeps. Steps use them like those that the person gives.
    public var gives: [String] {
        switch way {
        case .claim(_, let gives): gives
        case .authorize, .device: [Self.accessToken]
        // Its answer is what it gives.
        case .session: []
        }
    }

    /// The names of the credentials that leave in the exchange.
    public var sends: [String] {
        switch way {
        case .claim(let setup, _): [setup]
        case .authorize, .device:
            [endpoint?.client.credentialName, endpoint?.secret?.name, redirect?.credentialName].compactMap(\.self)
        case .session(let session):
            session.steps.allActions.flatMap(\.sentCredentials) + [redirect?.credentialName].compactMap(\.self)
        }
    }

    /// The address to which the owner's browser is led back; nil where the script names none.
    package var redirect: Value? {
        switch way {
        case .claim, .device: nil
        case .authorize(let page, _): page.redirect
        case .session(let session): session.redirect
        }
    }

    /// The steps that an exchange performs; none where it is one of OAuth 2.0, or a claim.
    package var steps: [Step] {
        if case .session(let session) = way { session.steps } else { [] }
    }

    /// Nil for a claim and for a session.
    package var endpoint: TokenEndpoint? {
        switch way {
        case .claim, .session: nil
        case .authorize(_, let endpoint), .device(_, let endpoint): endpoint
        }
    }

    /// True if the owner has to say yes before the first run, beyond the credentials that they give.
    public var needsOwner: Bool { if case .claim = way { false } else { true } }
}
