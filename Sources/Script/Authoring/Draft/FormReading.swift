import BankScript
import HTMLAutomation
import HTMLEngine
import Markup
import Secrets
import Selectors

/// Finds out from a request which form of a page was sent, and what the person did in it.
struct FormReading {
    let document: Document
    let outline: PageOutline
    var naming: ElementNaming { ElementNaming(document: document) }

    /// Returns the steps that fill in the form and send it; nil when no form of the page explains the visit.
    func steps(for visit: RecordedVisit) -> [DraftedStep]? {
        guard let form = form(for: visit) else { return nil }
        let sent = visit.sent
        var steps: [DraftedStep] = []
        let hasPassword = form.hasPassword
        let name = hasPassword ? nil : username(in: form, for: visit)
        var hasUsername = false
        for field in form.fields where !field.isHidden {
            let value = sent[field.name]
            if field.isTypable, !hasPassword, isCode(field), value != nil {
                return steps + [secondFactor(field, by: button(of: form, for: visit))]
            }
            guard let locator = naming.field(field.element) else { continue }
            if hasPassword, field.isTypable, let value, !value.isEmpty {
                let credential = field.type == "password" ? "password" : hasUsername ? slug(field) : "username"
                if field.type != "password" { hasUsername = true }
                steps.append(DraftedStep(.fill(locator, .credential(credential))))
            } else if field.element == name?.element {
                steps.append(DraftedStep(.fill(locator, .credential("username"))))
            } else if let action = change(field, to: value, of: sent, locator) {
                steps.append(DraftedStep(action))
            }
        }
        guard let button = button(of: form, for: visit), let locator = naming.button(button.element) else { return nil }
        steps.append(DraftedStep(.press(locator), hasPassword ? .signsIn : .plain))
        if hasPassword {
            steps[steps.count - 1].remarks = [
                DraftQuestion.mark
                    + "What does the page show after a wrong password? Describe it below: "
                    + "- fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }"
            ]
        }
        return steps
    }

    /// Returns the field for the user name in a form that does not ask for the password yet: a field that says so, or the
    /// only text before a page that asks for the password alone.
    private func username(in form: FormOutline, for visit: RecordedVisit) -> FieldOutline? {
        let sent = visit.sent
        let typed = form.fields.filter { !$0.isHidden && $0.isTypable && !(sent[$0.name] ?? "").isEmpty }
        let named = typed.first { field in
            let words = field.element[attribute: "autocomplete"]?.lowercased().split(separator: " ") ?? []
            return words.contains("username")
        }
        if let named { return named }
        guard typed.count == 1, let only = typed.first, !outline.forms.contains(where: \.hasPassword),
            let next = visit.document.map(PageOutline.init)?.forms.first(where: \.hasPassword),
            next.fields.count(where: { !$0.isHidden && $0.isTypable }) == 1
        else { return nil }
        return only
    }

    /// Finds the form by its target, method and fields; by method and fields alone when a script changed its target.
    func form(for visit: RecordedVisit) -> FormOutline? {
        let sent = visit.sent
        guard !sent.fields.isEmpty || visit.request.method != "GET" else { return nil }
        let fitting = outline.forms.filter { form in
            form.method == visit.request.method
                && sent.names.allSatisfy { name in
                    form.field(named: name) != nil || form.buttons.contains { $0.sends(name) }
                }
        }.sorted { one, other in
            // Forms of one page often share their target and most of their fields.
            let (left, right) = (Self.unsent(one, sent), Self.unsent(other, sent))
            return left == right ? Self.sameHidden(one, sent) > Self.sameHidden(other, sent) : left < right
        }
        let target = visit.url.withoutQuery
        if let exact = fitting.first(where: { $0.action?.withoutQuery == target }) { return exact }
        guard visit.request.method != "GET", !sent.fields.isEmpty else { return nil }
        return fitting.first
    }

    func button(of form: FormOutline, for visit: RecordedVisit) -> ButtonOutline? {
        let sent = visit.sent
        return form.buttons.first { !$0.name.isEmpty && sent[$0.name] == $0.value }
            ?? form.buttons.first { button in
                button.isImage && sent.names.contains { $0 == button.name + ".x" || button.name.isEmpty && $0 == "x" }
            } ?? form.buttons.first
    }

    /// Counts the hidden fields whose values were sent: rows of a list often have a form each, with the same names.
    private static func sameHidden(_ form: FormOutline, _ sent: FormFields) -> Int {
        form.fields.count { field in
            field.type == "hidden" && sent.fields.contains { $0.name == field.name && $0.value == field.value }
        }
    }

    /// Counts what the form always sends, and what was not sent: its fields, and a button when all have names.
    private static func unsent(_ form: FormOutline, _ sent: FormFields) -> Int {
        let fields = form.fields.count { field in
            let isAlwaysSent = field.isTypable || field.type == "hidden" || field.type == "select" && field.value != nil
            return isAlwaysSent && !field.name.isEmpty && !field.isDisabled && !sent.names.contains(field.name)
        }
        let isPressed =
            form.buttons.isEmpty
            || form.buttons.contains { button in
                button.name.isEmpty && !button.isImage || sent.names.contains(where: button.sends)
            }
        return isPressed ? fields : fields + 1
    }

    private func change(_ field: FieldOutline, to value: String?, of sent: FormFields, _ locator: Locator) -> Action? {
        switch field.type {
        case "select":
            guard let value, let option = field.options.first(where: { $0.value == value }) else { return nil }
            // A masked option tells nothing: it may be a year that is also part of a secret.
            let isPeriod = field.options.allSatisfy { $0.label.contains(Secret.mask) || isPeriodic($0.label) }
            return value != field.value || isPeriod ? .choose(locator, .template(Template(option.label))) : nil
        case "checkbox":
            let own = field.element[attribute: "value"] ?? "on"
            let isOn = sent.fields.contains { $0.name == field.name && $0.value == own }
            return isOn == (field.value != nil) ? nil : .check(locator, isOn)
        case "radio":
            let own = field.element[attribute: "value"] ?? "on"
            return value == own && field.value == nil ? .check(locator, true) : nil
        default:
            guard field.isTypable, let value, value != field.value else { return nil }
            return .fill(locator, .template(Template(value)))
        }
    }

    /// Returns whether an option is a year or a month. Such a list selects the statement, so the draft always chooses from
    /// it.
    private func isPeriodic(_ label: String) -> Bool {
        if let year = Int(label) { return 1990...2100 ~= year || 1...12 ~= year }
        let locale = document.root?[attribute: "lang"] ?? "en"
        return MonthNames.standalone(in: locale).contains { label.lowercased().hasPrefix($0.lowercased()) }
    }

    private func isCode(_ field: FieldOutline) -> Bool {
        if field.element[attribute: "autocomplete"]?.contains("one-time-code") == true { return true }
        if ["tan", "otp", "smstan", "sms_tan", "mtan", "pushtan"].contains(field.name.lowercased()) { return true }
        guard let length = field.maximumLength, length <= 10 else { return false }
        return BankingWords.isCode(field.label) || BankingWords.isCode(field.name)
    }

    private func secondFactor(_ field: FieldOutline, by button: ButtonOutline?) -> DraftedStep {
        // Only a button that is not the form's first has to be named.
        let form = outline.forms.first { $0.fields.contains { $0.element == field.element } }
        let isFirst = button == nil || form?.buttons.first?.element == button?.element
        let confirm = isFirst ? nil : button.flatMap { naming.button($0.element) }
        let locator = naming.field(field.element) ?? .field(.name(field.label))
        return DraftedStep(
            .secondFactor(
                SecondFactorStep(
                    method: .code(field: locator, picture: nil), tries: 3, limit: .minutes(2), confirm: confirm)),
            .signsIn,
            remarks: ["The code comes from your authenticator if one is linked; otherwise you are asked for it."])
    }

    private func slug(_ field: FieldOutline) -> String {
        let letters = field.name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
        let text = String(letters).split(separator: "_").joined(separator: "_")
        return text.first?.isLetter ?? false ? text : "second"
    }
}

extension FormOutline {
    fileprivate var hasPassword: Bool { fields.contains { $0.type == "password" } }
}

extension ButtonOutline {
    /// Returns whether the button sends a field of this name.
    fileprivate func sends(_ field: String) -> Bool {
        if name == field { return true }
        return pointNames.contains(field)
    }
}
