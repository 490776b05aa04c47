import BankScript
import Secrets

// Which typed texts are credentials, codes, or something to leave out.

extension StepRecordingDraft {
    /// Decides which typed texts are credentials. All the others are kept out of the draft, too.
    mutating func findCredentials() {
        let steps = recording.steps
        func typed(_ index: Int) -> Secret? {
            if case .type(let secret) = steps[index].action { secret } else { nil }
        }
        for index in steps.indices {
            switch steps[index].action {
            case .type(let secret) where placeholder(secret, in: steps[index].element) == nil: self.typed.add(secret)
            case .choose(let secret) where !isScript && isBeforeSignIn(index): self.typed.add(secret)
            default: break
            }
        }
        let passwords = steps.indices.filter { typed($0) != nil && isPassword(steps[$0].element) }
        guard let first = passwords.first else { return }
        password = typed(first)
        signIn = steps.indices.first { $0 > first && Self.sends(steps[$0]) && !isFocusing($0) }
        let form = steps.indices.filter { $0 < signIn ?? steps.count && typed($0) != nil && !isCode(steps[$0].element) }
        var names: Set<String> = []
        let named = form.first { Self.mentions(steps[$0].element, BankingWords.isUsername) && !passwords.contains($0) }
        let username = named ?? form.last { $0 < first && !passwords.contains($0) }
        for index in form {
            let name = index == first ? "password" : index == username ? "username" : slug(steps[index].element)
            credentials[index] = names.insert(name).inserted ? name : "\(name)_\(names.count)"
        }
        for index in passwords where index > signIn ?? steps.count {
            let isSame = typed(index).flatMap { secret in password.map(secret.isEqual) } ?? false
            credentials[index] = isSame ? "password" : slug(steps[index].element)
        }
    }

    /// Returns whether an option was chosen before the sign-in was sent: it may be a character of a secret word.
    func isBeforeSignIn(_ index: Int) -> Bool {
        let last = recording.steps.lastIndex { isPassword($0.element) && Self.isTyping($0) } ?? 0
        return index < last
    }

    static func isTyping(_ step: RecordedStep) -> Bool { if case .type = step.action { true } else { false } }

    static func sends(_ step: RecordedStep) -> Bool {
        switch step.action {
        case .click: step.element?.role != .box && step.element?.role != .field && step.element?.role != .list
        case .submit: true
        default: false
        }
    }

    private static func mentions(_ element: RecordedElement?, _ test: (String) -> Bool) -> Bool {
        element?.hints.contains(where: test) ?? false
    }

    func isPassword(_ element: RecordedElement?) -> Bool {
        Self.mentions(element, BankingWords.isPassword) && !Self.mentions(element, BankingWords.isCode)
    }

    func isCode(_ element: RecordedElement?) -> Bool { Self.mentions(element, BankingWords.isCode) }

    private func slug(_ element: RecordedElement?) -> String {
        let id = element?.css.lazy.compactMap { $0.firstMatch(of: /[#"=]([A-Za-z][\w-]*)/) }.first.map { String($0.1) }
        let source = element?.name.flatMap { typed.occur(in: $0) ? nil : $0 } ?? id ?? "second"
        let letters = source.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let text = String(letters).split(separator: "_").joined(separator: "_")
        return text.first?.isLetter == true ? text : "second"
    }

    /// Returns the value that a recording of a script has in place of a typed text; nil for a typed text.
    func placeholder(_ secret: Secret, in element: RecordedElement?) -> Value? {
        guard let header = recording.header else { return nil }
        let text = secret.revealed()
        if text.hasPrefix("$"), header.credentials.contains(String(text.dropFirst())) {
            return .credential(String(text.dropFirst()))
        }
        let template = Template(text)
        guard !isPassword(element), !template.names.isEmpty else { return nil }
        return .template(template)
    }
}
