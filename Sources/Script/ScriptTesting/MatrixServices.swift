import Automation
import CurlClient
import Foundation
import MockBank
import Secrets

/// The credentials of the mock bank's customer.
struct MatrixCustomer: CredentialProvider {
    let configuration: MockBankConfiguration
    /// The address of the row's bank.
    let bank: String

    func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        switch name {
        case "username": Secret(configuration.username)
        case "password": Secret(configuration.password)
        case "memorable_word": Secret(configuration.memorableWord)
        case "pin": Secret(configuration.pin)
        case "token": Secret(configuration.token)
        case "query_id": Secret(MockBankServer.flexQuery)
        case "client_id": Secret(MockBankServer.monzoClient.id)
        case "client_secret": Secret(MockBankServer.monzoClient.secret)
        case "application_id": Secret(MockBankServer.enableBankingApplication.id)
        case "private_key": Secret(MockBankServer.enableBankingApplication.key)
        case "redirect_url": Secret(MockBankServer.enableBankingRedirect)
        case "bank_name": Secret(MockBankServer.enableBankingBank.name)
        case "country": Secret(MockBankServer.enableBankingBank.country)
        case "setup_token": Secret(MockBankServer.setupToken(at: bank))
        default: nil
        }
    }
}

/// The customer's browser, in which they say yes at the row's bank.
struct MatrixBrowser: OwnersBrowser {
    let bank: String

    func redirect(_ wanted: String?) async throws -> String { wanted ?? "http://127.0.0.1:17265/" }

    /// Opens the page at the fake, which stands for each of the provider's hosts.
    func visit(_ page: OwnersPage) async throws -> Secret {
        let query = page.address.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        let session = CurlSession()
        let answer = try await session.send(HTTPRequest("GET", "\(bank)/?\(query)"))
        await session.close()
        guard let place = answer.header("location"), place.hasPrefix(page.redirect),
            let mark = place.firstIndex(of: "?")
        else { throw RunFailure(.bankLoginFailed, message: "the fake's page did not come back: \(answer.status)") }
        return Secret(String(place[place.index(after: mark)...]))
    }

    func show(_ code: OwnersCode) async throws {}
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
