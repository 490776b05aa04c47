import Messages
import Testing

@testable import BrokerStore

@Suite("The bank of a request that names none")
struct UsualBankTests {
    /// A table's row: what each phone has told, nil for one that has told nothing, and the broker's own bank.
    struct Row: Sendable, CustomTestStringConvertible {
        let phones: [[String]?]
        let own: String?
        let bank: UsualBank

        init(_ phones: [[String]?], own: String? = nil, _ bank: UsualBank) {
            (self.phones, self.own, self.bank) = (phones, own, bank)
        }

        var testDescription: String { "\(phones), own \(own ?? "none")" }
    }

    @Test(
        "is the only one there is; of several, one must be named",
        arguments: [
            // A broker of the specification alone.
            Row([], .bank("default")), Row([nil], .bank("default")), Row([[]], .bank("default")),
            Row([["default"]], .bank("default")), Row([["default", "north"]], .bank("default")),
            Row([["north"], nil], .bank("default")),
            // Phones that have told, and do not have that bank.
            Row([["north"]], .bank("north")), Row([["north"], ["north"]], .bank("north")),
            Row([["north", "south"]], .oneOf(["north", "south"])),
            Row([["south"], ["north"]], .oneOf(["north", "south"])),
            // A broker with a bank of its own.
            Row([], own: "north", .bank("north")), Row([nil], own: "north", .bank("north")),
            Row([["north"]], own: "north", .bank("north")), Row([["north"], nil], own: "north", .bank("north")),
            Row([["north", "south"]], own: "north", .oneOf(["north", "south"])),
            Row([["south"], nil], own: "north", .oneOf(["north", "south"])),
            Row([["default", "north"]], own: "north", .oneOf(["default", "north"])),
            // It was removed from the phone since.
            Row([["south"]], own: "north", .bank("south")),
        ])
    func usualBank(row: Row) {
        let devices = row.phones.enumerated().map { number, banks in
            KnownBanks.Device(
                name: "phone \(number)", publicKey: nil,
                banks: banks?.compactMap { OfferedBank(bankID: $0, name: $0) })
        }
        #expect(KnownBanks(devices: devices).usualBank(own: row.own) == row.bank)
    }
}
