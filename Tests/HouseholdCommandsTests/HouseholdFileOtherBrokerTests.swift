import Foundation
import Terminal
import Testing

@testable import HouseholdCommands

@Suite("The place of a household's broker")
struct HouseholdFileOtherBrokerTests {
    @Test(
        "is this machine, or another one",
        arguments: [
            ("unix:/home/robin/broker.sock", true), ("http://127.0.0.1:8765", true), ("https://localhost:8765", true),
            ("https://broker.example:8765", false), ("https://192.0.2.7:8765", false),
        ])
    func place(ofBroker address: String, isHere: Bool) {
        var phone = HouseholdFile.Phone(bankID: "north", home: URL(filePath: "/p"), pagePort: 8766)
        phone.brokerAddress = address
        let household = HouseholdFile(phone: phone, broker: nil, inbox: URL(filePath: "/i"))
        #expect(household.isBrokerOnThisMachine == isHere)
    }
}
