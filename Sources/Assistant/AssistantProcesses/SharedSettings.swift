import Foundation
import Secrets

/// The database, which the API and the enclave both open.
package struct DatabaseSettings: Sendable {
    /// `sqlite:PATH`, or a URI of libpq's.
    package var url: String
    package var password: Secret?

    package init(url: String) {
        self.url = url
    }

    package init(_ reader: inout SettingsReader) {
        url =
            reader.value("ASSISTANT_DATABASE_URL")
            ?? "sqlite:\(reader.stateFolder.appending(path: "assistant.sqlite").path)"
        password = reader.secret(inFile: "ASSISTANT_DATABASE_PASSWORD_FILE")
    }
}

/// The client that Google knows, and Google's addresses.
package struct GoogleSettings: Sendable {
    package static let redirectURI = "alfred://oauth/google/callback"

    package var clientID: String
    package var clientSecret: Secret?
    /// The only values to which a consent may lead back.
    package var redirectURIs = [GoogleSettings.redirectURI]
    package var endpoints = GoogleEndpoints()

    package init(clientID: String) {
        self.clientID = clientID
    }

    /// - Returns: nil when no client is set up.
    package init?(_ reader: inout SettingsReader) {
        let defaults = GoogleEndpoints()
        var endpoints = defaults
        endpoints.authorization = reader.address("ASSISTANT_GOOGLE_AUTH_URL", otherwise: defaults.authorization)
        endpoints.token = reader.address("ASSISTANT_GOOGLE_TOKEN_URL", otherwise: defaults.token)
        endpoints.revocation = reader.address("ASSISTANT_GOOGLE_REVOKE_URL", otherwise: defaults.revocation)
        endpoints.api = reader.address("ASSISTANT_GOOGLE_API_URL", otherwise: defaults.api)
        let secret = reader.secret(inFile: "ASSISTANT_GOOGLE_CLIENT_SECRET_FILE")
        var redirects: [String] = []
        for item in (reader.value("ASSISTANT_GOOGLE_REDIRECT_URIS") ?? Self.redirectURI).split(separator: ",") {
            let text = item.trimmingPrefix { $0 == " " }
            if Self.isRedirect(String(text)) {
                redirects.append(String(text))
            } else {
                reader.add(
                    "ASSISTANT_GOOGLE_REDIRECT_URIS has “\(text)”; each value must be an app's own scheme, https://, or "
                        + "http:// and a loopback address")
            }
        }
        guard let clientID = reader.value("ASSISTANT_GOOGLE_CLIENT_ID") else { return nil }
        self.clientID = clientID
        clientSecret = secret
        self.endpoints = endpoints
        redirectURIs = redirects
    }

    /// An app's own scheme, HTTPS, or HTTP to this machine (RFC 8252, section 7).
    private static func isRedirect(_ text: String) -> Bool {
        guard let url = URL(string: text), let scheme = url.scheme, url.fragment() == nil else { return false }
        switch scheme {
        case "http", "https": return SettingsReader.isSafe(text)
        case "javascript", "data", "file", "about", "blob": return false
        default: return true
        }
    }
}
