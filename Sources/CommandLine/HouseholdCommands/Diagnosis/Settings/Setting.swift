import Broker
import Foundation
import Terminal

/// A variable that a part of Countersign reads.
package struct Setting: Sendable {
    package let name: String
    /// True when its value is a credential.
    package private(set) var isSecret = false
    /// True when its value is a file or a folder.
    package private(set) var isPath = false
    /// The value without the variable; nil when the part then has no value.
    package internal(set) var standard: String?
    /// Completes the sentence "this is …"; empty for a variable of a single command, which its help explains.
    package internal(set) var purpose = ""

    /// Every variable: the broker's, in the order of its help, and then those of other parts.
    package static let all: [Setting] =
        BrokerSetting.all.map(Setting.init) + PhoneSetting.all
        + ["BROKER_URL", "BROKER_CA_FILE", "BROKER_TRUST_UNPROVEN", "COUNTERSIGN_CONFIG", "COUNTERSIGN_HOME"].map {
            Setting($0)
        }

    init(_ name: String, purpose: String = "") {
        (self.name, self.purpose) = (name, purpose)
    }

    package init(_ setting: BrokerSetting) {
        self.init(setting.name, purpose: setting.purpose)
        switch setting.form {
        case .secret: isSecret = true
        case .path:
            isPath = true
            standard = setting.standard
        default: standard = setting.standard
        }
    }

    /// A setting's value in an environment, and where it comes from. A secret's value is dots.
    package struct Shown: Sendable, Equatable {
        package let name: String
        package let value: String
        package let source: String

        package init(name: String, value: String, source: String) {
            (self.name, self.value, self.source) = (name, value, source)
        }
    }

    /// Returns what a household's file says of its phone that no variable does, by the option that changes it.
    package static func shown(of phone: HouseholdFile.Phone?) -> [Shown] {
        phone?.authority.map { [Shown(name: "--ca", value: $0.path, source: "countersign up")] } ?? []
    }

    /// Returns every setting that has a value, or every setting there is.
    ///
    /// - Parameters:
    ///   - own: the variables as they are set.
    ///   - complete: the same, with those of the household.
    ///   - household: the household whose variables were added; nil without one.
    ///   - hasUnset: true to include settings without a value.
    package static func shown(
        _ own: [String: String], _ complete: [String: String], source: String, of household: HouseholdFile? = nil,
        withUnset hasUnset: Bool = false
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
            let isSet = household?.settings.names.contains(setting.name) == true
            return Shown(
                name: setting.name, value: setting.isSecret ? "••••••••" : value,
                source: isOwn ? source : isSet ? "countersign config" : "countersign up")
        }
    }
}
