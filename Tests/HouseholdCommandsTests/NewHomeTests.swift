import Foundation
import KeyVault
import Phone
import Terminal
import Testing

@testable import HouseholdCommands

@Suite("The home of a new household's phone")
struct NewHomeTests {
    @Test(
        "costs a guess of a person's passphrase 128 MiB; only the random one of a trial costs less",
        arguments: [(nil, 131_072), ("http://127.0.0.1:1", 1_024)])
    func cost(mockBank: String?, cost: Int) {
        let phone = HouseholdFile.Phone(
            bankID: "default", mockBank: mockBank, home: URL(filePath: "/nonexistent/phone"), pagePort: 1)
        let scrypt = ScryptParameters(cost: cost, blockSize: 8, parallelism: 1)
        #expect(phone.newHome == PhoneHome(phone.home, scrypt: scrypt))
        // Whatever replaces the passphrase later is a person's.
        #expect(PhoneHome(phone.home) == PhoneHome(phone.home, scrypt: .standard))
    }
}
