import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets

extension PageState {
    /// Begins to connect a bank, with a vault that is open for this only. An attempt before it ends.
    func connect(_ bankID: String, with verification: any UserVerification) async throws {
        let runner = try unlocked()
        guard let script = runner.scripts.script(forBank: bankID), script.exchange?.needsOwner == true else {
            throw PageRefusal.notFound
        }
        let secrets = try await home.open(verification, reason: "Connect \(script.name)")
        let connection = PageConnection(address: try ownAddress(forBank: bankID), bankID: bankID, bankName: script.name)
        begin(connection, forBank: bankID) { [home, services, changes] in
            do {
                let end = try await BankConnection(home: home, secrets: secrets, services: services).connect(
                    script, with: connection)
                connection.ended(.connected(until: end))
            } catch {
                connection.ended(.failed(ReportText.cleaned("\(error)", limit: 600)))
            }
            secrets.close()
            changes.send()
        }
    }

    /// Returns the address of this page to which a bank may lead a browser back.
    func ownAddress(forBank bankID: String) throws -> String {
        "\(try relyingParty().origin)\(PageRoutes.returns)/\(bankID)"
    }
}
