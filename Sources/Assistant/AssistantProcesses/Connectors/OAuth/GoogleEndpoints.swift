/// The addresses of Google's services; each can be replaced.
package struct GoogleEndpoints: Sendable, Hashable {
    package var authorization = "https://accounts.google.com/o/oauth2/v2/auth"
    package var token = "https://oauth2.googleapis.com/token"
    package var revocation = "https://oauth2.googleapis.com/revoke"
    /// The base to which `/calendar/v3/…` and `/gmail/v1/…` are appended.
    package var api = "https://www.googleapis.com"

    package init() {}

    /// Returns the address of a call to the API. Gmail has a host of its own, unless all are replaced.
    func call(_ path: String) -> String {
        let isGoogles = api == GoogleEndpoints().api
        return (isGoogles && path.hasPrefix("/gmail/") ? "https://gmail.googleapis.com" : api) + path
    }
}
