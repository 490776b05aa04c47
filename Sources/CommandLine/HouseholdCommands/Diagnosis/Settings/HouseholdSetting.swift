import Broker
import Encodings
import Terminal

/// The settings that the owner of a household can change, and how the others are changed.
package enum HouseholdSetting {
    /// The last line of what `countersign config` says when it refuses a change; the page's program leaves it out.
    package static let nothingChanged = "Nothing was changed."

    /// The ways to change what a household decides itself, for those that have one.
    private static let ways: [(names: [String], way: String)] = [
        (["ICLOUD_INBOX_PATH"], "it is chosen at the first start, with: countersign up --inbox FOLDER"),
        (
            ["BROKER_HOST", "BROKER_ENDPOINT", "BROKER_TLS_CERT", "BROKER_TLS_KEY"],
            "change how other machines reach the household with: countersign up --host-name NAME, or --behind-proxy ORIGIN"
        ),
        (["BROKER_BANK_ID"], "the household's own bank is the usual one; another is named with --bank"),
        (
            ["BROKER_URL", "BROKER_CA_FILE", "BROKER_TRUST_UNPROVEN", "COUNTERSIGN_CONFIG", "COUNTERSIGN_HOME"],
            "it is for commands that use another broker or phone, and not of the household"
        ),
    ]

    /// Those that can be changed.
    package static let all: [Setting] = Setting.all.compactMap { setting in
        var ofHousehold = setting
        switch setting.name {
        case BrokerSetting.archive.name: ofHousehold.purpose += "; none for no such folder"
        case BrokerSetting.archiveTemplate.name: ofHousehold.standard = HouseholdFile.usualTemplate
        default: guard HouseholdFile.isSetting(setting.name) else { return nil }
        }
        return ofHousehold
    }

    /// Returns the setting of a name that a person typed, in capitals or not.
    ///
    /// - Throws: ``CommandFailure`` with status 2, with the way to change one that is not changed here.
    package static func named(_ typed: String) throws(CommandFailure) -> Setting {
        let name = typed.uppercased()
        if let known = all.first(where: { $0.name == name }) { return known }
        if Setting.all.contains(where: { $0.name == name }) {
            let way = ways.first { $0.names.contains(name) }?.way ?? "countersign up decides it"
            throw CommandFailure("\(name) is not changed here: \(way)", status: 2)
        }
        let meant = nearest(to: name, among: all.map(\.name)).map { "; did you mean \($0)?" } ?? ""
        throw CommandFailure(
            "unknown setting \(typed.inLine(limit: 60))\(meant.isEmpty ? "; see: countersign config set --help" : meant)",
            status: 2)
    }

    /// Returns the sentence that says how values of this shell are kept which the household does not take; nil where none of them
    /// can be.
    static func wordsOnKeeping(_ names: [String]) -> String? {
        let kept = names.filter { name in all.contains { $0.name == name } }
        guard let first = kept.first else { return nil }
        return "Keep \(kept.count == 1 ? "it" : "them") with: countersign config set \(first)"
            + (kept.count == 1 ? "" : " …")
    }
}
