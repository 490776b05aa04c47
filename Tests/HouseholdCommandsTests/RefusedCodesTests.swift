import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import Terminal
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("The codes that a bank refused in test logins")
struct RefusedCodesTests {
    private static func phone(in folder: TemporaryFolder) -> HouseholdFile.Phone {
        HouseholdFile.Phone(
            bankID: "north", home: folder.url.appending(path: "phone", directoryHint: .isDirectory), pagePort: 8766)
    }

    private static func codes(of phone: HouseholdFile.Phone) async throws -> Int {
        let store = try PhoneDatabase(PhoneHome(phone.home))
        return try await store.codesRefused(
            byBank: "north", credentials: try await store.credentialsVersion(forBank: "north"))
    }

    @Test("count for the phone, and for the one after it", arguments: [1, 2])
    func handedOver(refused: Int) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (refusals, phone) = (RefusedLogins(dataFolder: folder.url), Self.phone(in: folder))
        try refusals.changeCodes(bank: "north") { _ in refused }
        try refusals.changeCodes(bank: "south") { _ in 3 }
        for _ in 1...2 {
            try await refusals.handOverCodes(to: phone)
            #expect(try await Self.codes(of: phone) == refused, "they are handed over once")
        }
        let hold = try await PhoneDatabase(PhoneHome(phone.home)).hold(onBank: "north")
        #expect((hold?.reason == .wrongCode) == (refused == 2), "\(String(describing: hold))")
        #expect(try refusals.count(atBank: "north", at: Date()).codes == 0)
        #expect(try refusals.count(atBank: "south", at: Date()).codes == 3)

        try await refusals.takeOverCodes(from: phone)
        try FileManager.default.removeItem(at: phone.home)
        #expect(try await Self.codes(of: phone) == 0)
        try await refusals.handOverCodes(to: phone)
        #expect(try await Self.codes(of: phone) == refused)
    }

    @Test("make no file as long as the bank has refused no code")
    func none() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await RefusedLogins(dataFolder: folder.url).handOverCodes(to: Self.phone(in: folder))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
}
