import Foundation
import JSON
import Testing

@testable import Terminal

@Suite("The file of a household")
struct HouseholdFileTests {
    private static func household(_ proxied: String?) -> HouseholdFile {
        let folder = URL(filePath: "/home/robin/.local/share/countersign", directoryHint: .isDirectory)
        var household = HouseholdFile(
            bankID: "default", phoneHome: folder.appending(path: "phone", directoryHint: .isDirectory), pagePort: 8766,
            database: folder.appending(path: "broker/broker.sqlite"), brokerPort: 8765,
            sealingSecret: folder.appending(path: "broker/database.secret"),
            inbox: folder.appending(path: "inbox", directoryHint: .isDirectory),
            agentToken: folder.appending(path: "agent.token"))
        household.proxiedPage = proxied
        return household
    }

    @Test("is read as it was written, with and without a proxy", arguments: [nil, "https://phone.example"])
    func written(_ proxied: String?) throws {
        let household = Self.household(proxied)
        let json = try JSONReader.read(Data(household.bytes))
        #expect(json["phone"]?["behind_proxy"]?.stringValue == proxied)
        #expect(try HouseholdFile(json) == household)
    }
}
