import AssistantJobs
import AssistantProcesses
import Foundation

extension AssistantConfiguration {
    /// Reads the variables.
    ///
    /// - Throws: `AssistantConfigurationError` with every problem.
    package init(environment: [String: String]) throws(AssistantConfigurationError) {
        var reader = SettingsReader(environment)
        let database = DatabaseSettings(&reader)
        self.init(databaseURL: database.url, state: reader.stateFolder)
        databasePassword = database.password
        places = AssistantPlaces(&reader)
        evidence = EvidenceSettings(&reader)
        google = GoogleSettings(&reader)
        notices = NoticeSettings(&reader)
        authorities = notices.authorities
        host = reader.value("ASSISTANT_HOST") ?? host
        port = reader.whole("ASSISTANT_PORT", in: 0...65_535, otherwise: port)
        auditDays = reader.whole("ASSISTANT_AUDIT_DAYS", in: 1...36_500, otherwise: auditDays)
        consentSeconds = reader.whole("ASSISTANT_STATE_TTL_SECONDS", in: 1...600, otherwise: consentSeconds)
        if let text = reader.value("ASSISTANT_SIGNUP") {
            if let rule = SignupRule(rawValue: text) {
                signup = rule
            } else {
                reader.add("ASSISTANT_SIGNUP is “\(text)”; it must be open, invite or closed")
            }
        }
        if let audience = reader.value("ASSISTANT_APPLE_AUDIENCE") {
            var apple = AppleSettings(audience: audience)
            apple.issuer = reader.value("ASSISTANT_APPLE_ISSUER") ?? apple.issuer
            apple.keySetURL = reader.address("ASSISTANT_APPLE_JWKS_URL", otherwise: apple.keySetURL)
            self.apple = apple
        }
        let own = "http://localhost"
        let address = reader.address("ASSISTANT_PUBLIC_URL", otherwise: own)
        publicURL = address == own ? nil : URL(string: address)
        if !SettingsReader.isLoopback(host) {
            reader.add(
                "ASSISTANT_HOST is \(host); the assistant serves this machine only. Put a proxy that does TLS before it"
            )
        }
        try reader.finish()
    }
}
