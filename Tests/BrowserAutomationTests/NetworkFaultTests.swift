import Testing

@testable import BrowserAutomation

@Suite("A network error of the browser")
struct NetworkFaultTests {
    @Test(
        "is told in our words",
        arguments: [
            ("net::ERR_TUNNEL_CONNECTION_FAILED", "cannot be reached: its name has no address"),
            ("net::ERR_NAME_NOT_RESOLVED", "has no address; check the name"),
            ("net::ERR_CONNECTION_REFUSED", "refuses the connection"),
            ("net::ERR_EMPTY_RESPONSE", "nothing came"),
            ("net::ERR_CERT_AUTHORITY_INVALID", "give the missing certificate with --ca"),
            ("net::ERR_CERT_DATE_INVALID", "check this machine's clock"),
            ("net::ERR_CERT_COMMON_NAME_INVALID", "is for another name"),
            ("net::ERR_SSL_VERSION_OR_CIPHER_MISMATCH", "old version of TLS"),
            ("net::ERR_SSL_CLIENT_AUTH_CERT_NEEDED", "wants a certificate of its customer"),
            ("net::ERR_TOO_MANY_REDIRECTS", "redirects in a circle"),
            ("net::ERR_BLOCKED_BY_RESPONSE", "open the page itself"),
            ("the browser refused (unknown error): unknown error: net::ERR_TIMED_OUT at x", "does not answer in time"),
            // The rest of a kind keeps its name.
            ("net::ERR_CERT_SYMANTEC_LEGACY", "does not verify; nothing was sent (CERT_SYMANTEC_LEGACY)"),
            ("net::ERR_SSL_BAD_RECORD_MAC_ALERT", "breaks off the TLS handshake"),
            ("net::ERR_WHATEVER_COMES_NEXT", "did not load: net::ERR_WHATEVER_COMES_NEXT"),
            ("the window was closed", "did not load: the window was closed"),
        ])
    func words(_ error: String, _ words: String) {
        let told = NetworkFault.words(of: error, at: "https://bank.example")
        #expect(told.hasPrefix("https://bank.example ") && told.lowercased().contains(words.lowercased()), "\(told)")
        // A report of a run keeps 300 characters, and its last ones say what to do.
        let longest = "https://" + String(repeating: "online.", count: 8) + "bank.example"
        #expect(NetworkFault.words(of: error, at: longest).count <= 300, "\(told)")
    }
}
