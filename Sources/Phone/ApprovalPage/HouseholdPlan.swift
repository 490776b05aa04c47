import Secrets

/// A setting of a household that its owner can change on the page, by the name of its variable.
package enum HouseholdField: String, CaseIterable, Sendable {
    case statements = "BROKER_ARCHIVE_PATH"
    case template = "BROKER_ARCHIVE_TEMPLATE"
    case contact = "VAPID_SUBJECT"
    case paperless = "PAPERLESS_URL"
    case paperlessToken = "PAPERLESS_TOKEN"
    case webhook = "BROKER_WEBHOOK_URL"
    case webhookKey = "BROKER_WEBHOOK_SECRET"
    case program = "BROKER_ON_DOCUMENT"

    /// True for a value that the page takes and never shows.
    package var isCredential: Bool { [.paperlessToken, .webhook, .webhookKey].contains(self) }

    /// The setting that names a file with the credential, in its place.
    package var fileSetting: String? { [.paperlessToken, .webhookKey].contains(self) ? rawValue + "_FILE" : nil }

    /// True for the path of a file or folder on this machine.
    var isPath: Bool { [.statements, .program].contains(self) }

    /// True for what the page is told itself, and not the broker.
    var isOfPage: Bool { self == .contact }
}

/// The present settings of a household.
package struct HouseholdPlan: Sendable {
    /// False where the broker is on another machine: its settings are there.
    package var hasBroker: Bool
    /// The values that may be shown; no entry for a setting without a value.
    package var values: [HouseholdField: String]
    /// The credentials that are set.
    package var credentials: Set<HouseholdField>

    package init(hasBroker: Bool, values: [HouseholdField: String], credentials: Set<HouseholdField>) {
        self.hasBroker = hasBroker
        self.values = values
        self.credentials = credentials
    }
}

/// A change of the settings of a household, which is made as a whole or not at all.
package struct HouseholdChange: Sendable {
    package var values: [HouseholdField: String] = [:]
    package var credentials: [HouseholdField: Secret] = [:]
    package var unset: Set<HouseholdField> = []

    package init() {}

    package var isEmpty: Bool { values.isEmpty && credentials.isEmpty && unset.isEmpty }
}

/// The household of a phone, whose settings the page changes.
package protocol PageHousehold: Sendable {
    func plan() throws -> HouseholdPlan

    /// - Throws: ``HouseholdRefusal`` when a part of the household could not start with the settings. Nothing was changed then.
    func make(_ change: HouseholdChange) async throws
}

/// The reason why a household's settings were not changed, in the words of the command that keeps them.
package struct HouseholdRefusal: Error {
    package let words: String

    package init(_ words: String) { self.words = words }
}
