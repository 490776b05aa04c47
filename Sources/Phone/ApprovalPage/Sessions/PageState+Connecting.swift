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
        try checkNothingIsAdded()
        let address = try ownAddress(forBank: bankID)
        connectionsUnderWay += 1
        let secrets: VaultSecretStore
        do {
            secrets = try await home.open(verification, reason: "Connect \(script.name)")
        } catch {
            connectionsUnderWay -= 1
            throw error
        }
        let connection = PageConnection(address: address, bankID: bankID, bankName: script.name)
        begin(connection, forBank: bankID) { [home, services, changes] in
            do {
                let end = try await BankConnection(home: home, secrets: secrets, services: services).connect(
                    script, with: connection)
                connection.ended(.connected(until: end))
            } catch {
                connection.ended(.failed(ReportText.cleaned("\(error)", limit: 600)))
            }
            secrets.close()
            await self.connectionEnded()
            changes.send()
        }
    }

    private func connectionEnded() { connectionsUnderWay -= 1 }

    /// Returns the address of this page to which a bank may lead a browser back.
    func ownAddress(forBank bankID: String) throws -> String {
        "\(try relyingParty().origin)\(PageRoutes.returns)/\(bankID)"
    }
}
