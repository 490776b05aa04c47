import Automation
import Foundation
import MockBank
import Secrets

/// The credentials of the mock bank's customer.
struct MatrixCustomer: CredentialProvider {
    let configuration: MockBankConfiguration

    func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        switch name {
        case "username": Secret(configuration.username)
        case "password": Secret(configuration.password)
        case "memorable_word": Secret(configuration.memorableWord)
        case "pin": Secret(configuration.pin)
        case "token": Secret(configuration.token)
        default: nil
        }
    }
}

/// The customer as a person who answers questions, or stays silent.
struct MatrixPerson: HumanPrompt {
    let kind: ScriptMatrix.Person
    let code: String
    let clock: MatrixClock

    func answer(_ prompt: Prompt) async throws -> Secret {
        switch (kind, prompt.kind) {
        case (.silent, _): try await clock.fly()
        case (.present, .confirmElsewhere): while true { try await Task.sleep(for: .seconds(3600)) }
        case (.present, .code(let picture)): return Secret(picture.flatMap(digits) ?? code)
        case (.present, .choice(let options)): return Secret(options.first ?? "")
        }
    }

    /// Returns the digits that a person reads in the mock bank's picture.
    private func digits(in picture: Prompt.Picture) -> String? {
        String(decoding: picture.bytes, as: UTF8.self).firstMatch(of: />(\d{6})</).map { String($0.1) }
    }
}
