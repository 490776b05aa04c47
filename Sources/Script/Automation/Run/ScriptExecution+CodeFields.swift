import BankScript
import Secrets
import Selectors

// Codes that a page takes in several fields, one character in each.

extension ScriptExecution {
    /// Returns the fields that hold one character each of what a field's locator names; none for a usual field.
    ///
    /// - Returns: nil while the page has neither.
    func codeFields(_ field: Locator) async throws -> [Locator]? {
        let parts = try await engine.characterFields(of: field)
        guard parts.isEmpty else { return parts }
        return try await engine.texts(field).isEmpty ? nil : []
    }

    /// True while the page asks for a code there.
    func asks(for field: Locator) async throws -> Bool {
        if try await holds(.shows(field)) { return true }
        return try await !engine.characterFields(of: try await locate(field)).isEmpty
    }

    /// Fills one character into each field, as a person types a code while the page moves on from field to field.
    func fill(_ parts: [Locator], of field: Locator, with code: Secret) async throws {
        let characters = code.revealed().map { Secret(String($0)) }
        guard characters.count == parts.count else {
            throw RunFailure(
                .navigationFailed, reason: .layoutChanged,
                message: "\(field) has \(parts.count) fields for one character each, and the code has another length")
        }
        for character in characters { hold(character) }
        for (part, character) in zip(parts, characters) {
            // A page that draws its fields anew may have fewer of them, and then the next one is another.
            guard try await engine.characterFields(of: field).count == parts.count else {
                throw RunFailure(
                    .navigationFailed, reason: .layoutChanged,
                    message: "the page took the fields of \(field) away before the whole code was typed")
            }
            try await engine.fill(part, with: .secret(character))
        }
    }
}
