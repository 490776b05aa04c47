import Broker
import Foundation
import Terminal

/// A variable that a part of Countersign reads.
struct Setting: Sendable {
    let name: String
    /// True when its value is a credential.
    var isSecret = false
    /// The value without the variable; nil when the part then has no value.
    var standard: String?

    /// Every variable: the broker's, in the order of its help, and then those of other parts.
    static let all: [Setting] =
        BrokerSetting.all.map { setting in
            if case .secret = setting.form { return Setting(name: setting.name, isSecret: true) }
            return Setting(name: setting.name, standard: setting.standard)
        } + [
            Setting(name: "BROKER_URL"), Setting(name: "BROKER_CA_FILE"), Setting(name: "BROKER_TRUST_UNPROVEN"),
            Setting(name: "VAPID_SUBJECT"), Setting(name: "PHONE_RETENTION_DAYS"), Setting(name: "COUNTERSIGN_CONFIG"),
            Setting(name: "COUNTERSIGN_HOME"),
        ]

    /// A setting's value in an environment, and where it comes from. A secret's value is dots.
    struct Shown: Sendable, Equatable {
        let name: String
        let value: String
        let source: String
    }

    /// Returns what a household's file says of its phone that no variable does, by the option that changes it.
    static func shown(of phone: HouseholdFile.Phone?) -> [Shown] {
        phone?.authority.map { [Shown(name: "--ca", value: $0.path, source: "countersign up")] } ?? []
    }

    /// Returns every setting that has a value, or every setting there is.
    ///
    /// - Parameters:
    ///   - own: the variables as they are set.
    ///   - complete: the same, with those of the household.
    ///   - hasUnset: true to include settings without a value.
    static func shown(
        _ own: [String: String], _ complete: [String: String], source: String, withUnset hasUnset: Bool = false
    ) -> [Shown] {
        all.compactMap { setting in
            let isOwn = !(own[setting.name] ?? "").isEmpty
            let value = complete[setting.name].flatMap { $0.isEmpty ? nil : $0 }
            guard let value else {
                if let standard = setting.standard {
                    return Shown(name: setting.name, value: standard, source: "default")
                }
                return hasUnset ? Shown(name: setting.name, value: "", source: "not set") : nil
            }
            return Shown(
                name: setting.name, value: setting.isSecret ? "••••••••" : value,
                source: isOwn ? source : "countersign up")
        }
    }
}
