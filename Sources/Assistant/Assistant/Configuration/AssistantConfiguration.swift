import AssistantJobs
import AssistantProcesses
import Foundation
import Machine
import Secrets
import WebServing

/// The rule by which strangers become users: `ASSISTANT_SIGNUP`.
package enum SignupRule: String, Sendable, Hashable, CaseIterable {
    case open
    case invite
    case closed
}

/// The settings of the assistant, from environment variables.
package struct AssistantConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// The port, or 0 for any.
    package var port = 8790
    /// The URL that people open; nil for this machine's own. Passkeys belong to its host.
    package var publicURL: URL?
    /// `sqlite:PATH`, or a URI of libpq's.
    package var databaseURL: String
    package var databasePassword: Secret?
    /// The folder with the service's keys.
    package var state: URL
    package var signup = SignupRule.invite
    /// Sign in with Apple; nil when it is not set up.
    package var apple: AppleSettings?
    /// The client that Google knows; nil when none is set up.
    package var google: GoogleSettings?
    /// The seconds within which a consent has to come back.
    package var consentSeconds = 600
    /// The sockets of the enclave and of the key service, and their users.
    package var places: AssistantPlaces
    /// The maker of the enclave's evidence, which `/healthz` tells.
    package var evidence = EvidenceSettings()
    /// The channels by which notices go out.
    package var notices = NoticeSettings()
    /// Additional roots for every outgoing TLS connection (PEM).
    package var authorities: URL?
    /// The days for which audit events are kept.
    package var auditDays = 400
    package var connections = 512
    /// The refused calls of one address before they are limited to one a second.
    package var refusedBurst = 100.0
    package var timeouts = ConnectionTimeouts()

    package struct AppleSettings: Sendable, Hashable {
        package static let issuer = "https://appleid.apple.com"

        package var issuer = AppleSettings.issuer
        package var keySetURL = "https://appleid.apple.com/auth/keys"
        /// The app's bundle id.
        package var audience: String

        package init(audience: String) {
            self.audience = audience
        }
    }

    package init(databaseURL: String, state: URL) {
        self.databaseURL = databaseURL
        self.state = state
        places = AssistantPlaces(state: state)
    }

    /// True when people reach the service over https: it serves this machine only, so a proxy on it does the TLS.
    package var isBehindProxy: Bool { publicURL?.scheme == "https" }

    /// The site of passkeys: the host and the origin of the public URL (WebAuthn level 3, section 4, "relying party").
    package var site: RelyingParty {
        guard let publicURL, let host = publicURL.host(), let scheme = publicURL.scheme else {
            return RelyingParty(id: "localhost", origin: "http://localhost:\(port)")
        }
        let port = publicURL.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        return RelyingParty(id: host, origin: "\(scheme)://\(host)\(port)")
    }
}
