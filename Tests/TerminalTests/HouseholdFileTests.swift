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

    @Test("says under which origin browsers find the page")
    func origin() throws {
        var household = Self.household(nil)
        #expect(household.pageOrigin == "http://localhost:8766")
        household.pageHost = "phone.home.arpa"
        #expect(household.pageOrigin == "https://phone.home.arpa:8766")
        #expect(try HouseholdFile(JSONReader.read(Data(household.bytes))) == household)
        household.pageHost = nil
        household.proxiedPage = "https://phone.example"
        #expect(household.pageOrigin == "https://phone.example")
    }

    @Test("with a host name and a proxy is refused")
    func both() throws {
        var household = Self.household("https://phone.example")
        household.pageHost = "phone.home.arpa"
        let json = try JSONReader.read(Data(household.bytes))
        #expect { try HouseholdFile(json) } throws: { "\($0)".contains("do not go together") }
    }

    @Test("is read as it was written, with and without a proxy", arguments: [nil, "https://phone.example"])
    func written(_ proxied: String?) throws {
        let household = Self.household(proxied)
        let json = try JSONReader.read(Data(household.bytes))
        #expect(json["phone"]?["behind_proxy"]?.stringValue == proxied)
        #expect(try HouseholdFile(json) == household)
    }
}
