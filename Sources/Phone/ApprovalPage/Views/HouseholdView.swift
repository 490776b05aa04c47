import Foundation
import Secrets
import WebServing

/// The form with the settings of a household.
struct HouseholdView {
    let plan: HouseholdPlan
    /// The form that was refused, whose values stay; nil for the present values.
    var typed: PostedForm?

    private static let mail = "mailto:"

    /// The fields that stand together, by the key of their name.
    private static let groups: [(name: String, fields: [HouseholdField])] = [
        ("household.statements", [.statements, .template]),
        ("household.notifications", [.contact]),
        ("household.paperless", [.paperless, .paperlessToken]),
        ("household.webhook", [.webhook, .webhookKey]),
        ("household.program", [.program]),
    ]

    var values: [String: Any] {
        let groups = Self.groups.map { group in
            (group.name, group.fields.filter { plan.hasBroker || $0.isOfPage })
        }
        return [
            "groups": groups.filter { !$0.1.isEmpty }.map { name, fields in
                var values: [String: Any] = ["name": PageText.of(name), "fields": fields.map(row)]
                if fields.contains(.webhook), plan.credentials.contains(.webhook) {
                    values["end"] = ["ticked": typed?.isOn(Self.end) ?? false]
                }
                return values
            }
        ]
    }

    private static let end = "end-webhook"
    /// Begins the name of the hidden field with the value that the form had shown: a page that was open for long changes nothing
    /// that the owner has not touched.
    private static let former = "was-"

    /// The name of each field in the form, and the keys of its label and of the text below it.
    private static let words: [HouseholdField: (name: String, label: String, text: String)] = [
        .statements: ("statements", "household.label-statements", "household.text-statements"),
        .template: ("template", "household.label-template", "household.text-template"),
        .contact: ("contact", "household.label-contact", "household.text-contact"),
        .paperless: ("paperless", "household.label-paperless", "household.text-paperless"),
        .paperlessToken: ("token", "household.label-token", "household.text-token"),
        .webhook: ("webhook", "household.label-webhook", "household.text-webhook"),
        .webhookKey: ("key", "household.label-key", "household.text-key"),
        .program: ("program", "household.label-program", "household.text-program"),
    ]

    private func row(of field: HouseholdField) -> [String: Any] {
        guard let words = Self.words[field] else { return [:] }
        return [
            "id": words.name, "label": PageText.of(words.label), "text": PageText.of(words.text),
            "credential": field.isCredential, "isSet": plan.credentials.contains(field),
            "value": field.isCredential ? "" : typed?[words.name] ?? Self.shown(plan.values[field] ?? "", field),
            "was": typed?[Self.former + words.name] ?? Self.shown(plan.values[field] ?? "", field),
        ]
    }

    /// Returns a value as a person types it: a mail address without the scheme that push services want.
    private static func shown(_ value: String, _ field: HouseholdField) -> String {
        field == .contact && value.hasPrefix(mail) ? String(value.dropFirst(mail.count)) : value
    }

    private static func read(_ typed: String, _ field: HouseholdField) -> String {
        let typed = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        if field.isPath { return unquoted(typed) }
        guard field == .contact, typed.contains("@"), !typed.contains(":") else { return typed }
        return mail + typed
    }

    /// Returns a path without the quotes around it, with which file managers and shells write one.
    private static func unquoted(_ path: String) -> String {
        guard path.count >= 2, let quote = path.first, "\"'".contains(quote), path.last == quote else { return path }
        return String(path.dropFirst().dropLast())
    }

    /// A form that cannot be meant, by the key of the sentence about it.
    struct Contradiction: Error {
        let key: String
    }

    /// Returns what a form changes. An empty field goes back to the usual value, and keeps a credential.
    ///
    /// - Throws: ``Contradiction``; `PageRefusal` for another form.
    static func change(_ form: PostedForm, from plan: HouseholdPlan) throws -> HouseholdChange {
        var change = HouseholdChange()
        for field in HouseholdField.allCases where plan.hasBroker || field.isOfPage {
            guard let name = words[field]?.name, let typed = form[name] else { throw PageRefusal.badInput }
            if field.isCredential {
                let typed = typed.trimmingCharacters(in: .whitespacesAndNewlines)
                if !typed.isEmpty { change.credentials[field] = Secret(typed) }
            } else {
                let value = read(typed, field)
                guard value != read(form[former + name] ?? "", field), value != plan.values[field] ?? "" else {
                    continue
                }
                if field.isPath, !value.isEmpty, !value.hasPrefix("/"), !value.hasPrefix("~/") {
                    throw Contradiction(key: "household.not-whole")
                }
                if value.isEmpty { change.unset.insert(field) } else { change.values[field] = value }
            }
        }
        // A credential without its address would be refused.
        if change.unset.contains(.paperless) {
            change.unset.formUnion(plan.credentials.intersection([.paperlessToken]))
        }
        if form.isOn(end) { change.unset.formUnion(plan.credentials.intersection([.webhook, .webhookKey])) }
        guard change.unset.isDisjoint(with: change.credentials.keys) else {
            throw Contradiction(key: "household.both")
        }
        return change
    }
}
