import Foundation
import Terminal
import TestSupport
import Testing

@testable import BrokerCommands

@Suite("The places of a household's backup")
struct BrokerPlacesTests {
    @Test("name the folder beside which an archive goes, because that one has files")
    func occupied() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let own = ["XDG_DATA_HOME": folder.url.path, "HOME": folder.url.path]
        let data = HouseholdFile.dataFolder(own)
        let usual = folder.url.appending(path: "Statements", directoryHint: .isDirectory)
        var broker = HouseholdFile.Broker(
            database: data.appending(path: "broker/broker.sqlite"), port: 8765,
            sealingSecret: data.appending(path: "broker/database.secret"),
            agentToken: data.appending(path: "agent-token"))
        broker.statements = usual
        let household = HouseholdFile(phone: nil, broker: broker, inbox: data.appending(path: "inbox"))
        let free = try BrokerPlaces.ofHousehold(Data(household.bytes), own).places
        #expect(free.archive?.path == usual.path && free.occupiedArchive == nil)
        try FileManager.default.createDirectory(at: usual, withIntermediateDirectories: true)
        try Data().write(to: usual.appending(path: "a.pdf"))
        let other = try BrokerPlaces.ofHousehold(Data(household.bytes), own).places
        #expect(other.archive?.path == usual.path + " (2)" && other.occupiedArchive?.path == usual.path)
    }

    @Test("put a policy into the household's folder, and keep its other settings")
    func policy() throws {
        let folder = try TemporaryFolder()
        let own = ["XDG_DATA_HOME": folder.url.path, "HOME": folder.url.path]
        let data = HouseholdFile.dataFolder(own)
        let broker = HouseholdFile.Broker(
            database: data.appending(path: "broker/broker.sqlite"), port: 8765,
            sealingSecret: data.appending(path: "broker/database.secret"),
            agentToken: data.appending(path: "agent-token"))
        var household = HouseholdFile(phone: nil, broker: broker, inbox: data.appending(path: "inbox"))
        household.settings.set("BROKER_POLICY_FILE", to: folder.url.appending(path: ".profile").path)
        household.settings.set("BROKER_LANGUAGE", to: "de")
        let (places, restored) = try BrokerPlaces.ofHousehold(Data(household.bytes), own)
        let policy = data.appending(path: "policy.yaml").path
        #expect(places.policy?.path == policy)
        #expect(restored.settings.shown.map(\.value) == ["de", policy])
    }
}
