import AssistantProcesses
import Foundation

/// The settings of the enclave, from environment variables.
package struct EnclaveConfiguration: Sendable {
    package var places: AssistantPlaces
    package var database: DatabaseSettings
    /// The client that Google knows; nil when none is set up, and every call is then refused.
    package var google: GoogleSettings?
    package var authorities: URL?
    package var evidence = EvidenceSettings()

    package init(places: AssistantPlaces, database: DatabaseSettings, google: GoogleSettings?) {
        self.places = places
        self.database = database
        self.google = google
    }

    /// - Throws: `AssistantConfigurationError` with every problem.
    package init(environment: [String: String]) throws(AssistantConfigurationError) {
        var reader = SettingsReader(environment)
        places = AssistantPlaces(&reader)
        database = DatabaseSettings(&reader)
        google = GoogleSettings(&reader)
        authorities = reader.readableFile("ASSISTANT_CA_FILE")
        evidence = EvidenceSettings(&reader)
        try reader.finish()
    }
}
