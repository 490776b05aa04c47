import Broker
import BrokerStore
import TestParties
import Testing

@testable import HouseholdCommands

@Suite("The invitation of a phone")
struct PhoneInvitationTests {
    @Test("that the store refuses is told, and does not end the household")
    func refusedByStore() async throws {
        let stage = try BrokerStage()
        try await stage.run { _ in }
        let broker = try BrokerAdministration(environment: ["BROKER_DATABASE_PATH": stage.database.path])
        await #expect(throws: StoreError.self, "no broker runs on the database") {
            try await broker.openPairing(life: .seconds(60), name: nil)
        }
        try await PhoneInvitation(broker: broker, confirmsAlone: true, output: HouseholdOutput(json: true)).perform()
    }
}
