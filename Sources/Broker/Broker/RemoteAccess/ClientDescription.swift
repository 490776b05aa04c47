import Encodings
import Foundation
import Messages

/// A program's description of itself (RFC 7591, section 2), as far as this server uses it. All of it is the program's word.
struct ClientDescription: Sendable, Hashable {
    private static let ownPrefix = "self."
    private static let mostAddresses = 10

    /// The https address of the description, or an identifier that holds the description.
    let id: String
    let name: String?
    let returnAddresses: [ReturnAddress]

    /// Reads the body of a registration (RFC 7591, section 3.1). Its identifier holds what it says, so that the server keeps
    /// nothing of a stranger's, and knows it again after any time.
    ///
    /// - Throws: ``OAuthError``.
    init(registration json: JSONValue) throws(OAuthError) {
        (name, returnAddresses) = try Self.read(json)
        var members: [String: JSONValue] = ["r": .array(returnAddresses.map { .string($0.text) })]
        members["n"] = name.map { .string($0) }
        id = Self.ownPrefix + Base64URL.encode(JSONValue.object(members).compactBytes())
        guard id.utf8.count <= WaitingClient.longestAddress else {
            throw OAuthError(.invalidClientMetadata, "the description is too long")
        }
    }

    /// Reads an identifier that ``init(registration:)`` made.
    ///
    /// - Throws: ``OAuthError``.
    init(ownID text: String) throws(OAuthError) {
        let unknown = OAuthError(.invalidClient, "client_id is neither an https address nor one that this server gave")
        guard text.hasPrefix(Self.ownPrefix), text.utf8.count <= WaitingClient.longestAddress,
            let bytes = Base64URL.decode(String(text.dropFirst(Self.ownPrefix.count))),
            let json = try? JSONReader.read(bytes)
        else { throw unknown }
        var members: [String: JSONValue] = ["redirect_uris": json["r"] ?? .null]
        members["client_name"] = json["n"]
        let again = try Self(registration: .object(members))
        guard again.id == text else { throw unknown }
        self = again
    }

    /// Reads the document at a program's address (draft-ietf-oauth-client-id-metadata-document).
    ///
    /// - Parameter id: the address; the document has to name the same.
    /// - Throws: ``OAuthError``.
    init(document json: JSONValue, at id: String) throws(OAuthError) {
        guard json["client_id"]?.stringValue == id else {
            throw OAuthError(.invalidClient, "the document at client_id names another client_id")
        }
        if json["client_secret"] != nil {
            throw OAuthError(.invalidClient, "the document at client_id holds a secret, which everybody can read")
        }
        (name, returnAddresses) = try Self.read(json)
        self.id = id
    }

    private static func read(_ json: JSONValue) throws(OAuthError) -> (name: String?, [ReturnAddress]) {
        guard let texts = json["redirect_uris"]?.arrayValue, (1...mostAddresses).contains(texts.count) else {
            throw OAuthError(.invalidRedirectURI, "redirect_uris must list 1 to \(mostAddresses) addresses")
        }
        let addresses = texts.compactMap { $0.stringValue.flatMap { ReturnAddress($0) } }
        guard addresses.count == texts.count else {
            throw OAuthError(
                .invalidRedirectURI,
                "a redirect URI must be https, http on the own machine, or of the program's own scheme, "
                    + "without a fragment")
        }
        if let methods = json["grant_types"]?.arrayValue, !methods.contains("authorization_code") {
            throw OAuthError(.invalidClientMetadata, "grant_types must have authorization_code")
        }
        let name = json["client_name"]?.stringValue.map {
            String($0.prefix(WaitingClient.longestName)).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        return (name.flatMap { $0.isEmpty ? nil : $0 }, addresses)
    }

    /// The answer to a registration (RFC 7591, section 3.2.1).
    var registered: JSONValue {
        var members: [String: JSONValue] = [
            "client_id": .string(id), "redirect_uris": .array(returnAddresses.map { .string($0.text) }),
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        ]
        members["client_name"] = name.map { .string($0) }
        return .object(members)
    }
}
