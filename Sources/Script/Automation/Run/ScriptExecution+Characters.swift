import BankScript
import Secrets
import Selectors

// Banks that ask for a secret in pieces: characters of a memorable word, and pads with a key for each digit.

extension ScriptExecution {
    /// The highest position that a page may ask for.
    private static let longestWord = 64

    /// Fills each field whose label names a position with the secret's character there. A list has it chosen.
    func fillCharacters(of name: String, into field: Locator) async throws {
        let characters = try await characters(of: name)
        defer { valuesOfStep = [:] }
        var count = 0
        for position in 1...Self.longestWord {
            valuesOfStep = ["position": String(position)]
            let field = try await locate(field)
            guard try await !engine.texts(field).isEmpty else { continue }
            guard position <= characters.count else {
                throw RunFailure(
                    .bankLoginFailed, reason: .wrongCredentials,
                    message: "\(field) asks for a character that the stored \(name) does not have; check what is stored"
                )
            }
            try await put(characters[position - 1], into: field)
            count += 1
        }
        guard count == 0 else { return ledger?.type([.credential(name)]) ?? () }
        throw RunFailure(
            .navigationFailed, reason: .layoutChanged, message: "no field asks for a position: \(field)",
            candidates: await nearest(to: field))
    }

    private func put(_ character: Secret, into field: Locator) async throws {
        do {
            try await engine.fill(field, with: .secret(character))
        } catch let error as EngineError where error.kind == .notFillable {
            do {
                try await engine.choose(secret: character, in: field)
            } catch is EngineError {
                // The engine's words may name the option.
                throw RunFailure(
                    .navigationFailed, reason: .layoutChanged,
                    message: "\(field) takes no character: it is neither a text field nor a list that has it")
            }
        }
    }

    /// Presses a key for each character of a secret. The whole secret counts as sent once.
    func press(_ key: Locator, forEachCharacterOf name: String) async throws {
        let characters = try await characters(of: name)
        ledger?.type([.credential(name)])
        defer { valuesOfStep = [:] }
        for (index, character) in characters.enumerated() {
            valuesOfStep = ["digit": character.revealed()]
            do {
                let key = try fillPlaces(of: key)
                try await turn(submitting: index == 0) { try await engine.press(unseen: key) }
            } catch let error as EngineError where error.isAboutElement || error.kind == .ambiguous {
                // The engine's words would name the character.
                throw RunFailure(
                    .navigationFailed, reason: .layoutChanged,
                    message: "the page has no single key for one of the characters of the \(name): \(key)")
            }
        }
        keyed = [.credential(name)]
    }

    private func characters(of name: String) async throws -> [Secret] {
        let secret = try await input(.credential(name))
        let characters = secret.revealed.map { Secret(String($0)) }
        guard !characters.isEmpty else {
            throw RunFailure(
                .bankLoginFailed, reason: .credentialMissing, message: "the stored \(name) of \(script.name) is empty")
        }
        for character in characters { hold(character) }
        return characters
    }
}
