import Messages
import Testing

@testable import BrokerStore

@Suite("A bank that no phone has")
struct MeantBankTests {
    private static func known(_ banks: [(id: String, name: String)]) -> KnownBanks {
        let told = banks.compactMap { OfferedBank(bankID: $0.id, name: $0.name) }
        return KnownBanks(devices: [KnownBanks.Device(name: "phone", publicKey: nil, banks: told)])
    }

    @Test(
        "is answered with the bank that was probably meant, by its id or its name, and with those that there are",
        arguments: [
            ("nroth", "did you mean north? The banks are north, south"),
            ("Meridian", "did you mean north? The banks are north, south"),
            ("kayside", "the banks are north, south"), ("savings", "the banks are north, south"),
            ("harbour", "did you mean south? The banks are north, south"),
        ])
    func meant(typed: String, words: String) {
        let known = Self.known([("north", "Meridian Savings"), ("south", "Harbour Savings")])
        #expect(known.words(insteadOf: typed) == words)
    }

    @Test("is answered with the broker's own, while no phone has told of any, and with the first of many")
    func listed() {
        #expect(Self.known([]).words(insteadOf: "north") == "the banks are default")
        #expect(Self.known([]).words(insteadOf: "north", own: "south") == "the banks are south")
        let many = (10...35).map { (id: "bank-\($0)", name: "Bank") }
        #expect(Self.known(many).words(insteadOf: "x").hasSuffix("bank-28, bank-29, …; GET /banks lists all"))
    }
}
