import Foundation
import KeyVault
import Messages
import Phone
import PhoneStore
import Secrets
import Terminal
import TestParties
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
            try await refusals.handOver(to: phone)
            #expect(try await Self.codes(of: phone) == refused, "they are handed over once")
        }
        let hold = try await PhoneDatabase(PhoneHome(phone.home)).hold(onBank: "north")
        #expect((hold?.reason == .wrongCode) == (refused == 2), "\(String(describing: hold))")
        #expect(try refusals.count(atBank: "north", at: Date()).codes == 0)
        #expect(try refusals.count(atBank: "south", at: Date()).codes == 3)

        try await refusals.takeOver(from: phone)
        try FileManager.default.removeItem(at: phone.home)
        #expect(try await Self.codes(of: phone) == 0)
        try await refusals.handOver(to: phone)
        #expect(try await Self.codes(of: phone) == refused)
    }

    @Test("and one that may have refused the credentials unseen: the phone asks before it sends them again")
    func doubt() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (refusals, phone) = (RefusedLogins(dataFolder: folder.url), Self.phone(in: folder))
        for bank in ["north", "south", "east"] { try refusals.doubt(bank: bank, at: Date()) }
        let early = try PhoneDatabase(PhoneHome(phone.home))
        try await early.rememberCredentials(
            forBank: "east", username: "username/east", password: "password/east", areOther: true, at: Date())
        try await refusals.handOver(to: phone)
        let store = try PhoneDatabase(PhoneHome(phone.home))
        let hold = try #require(try await store.hold(onBank: "north"))
        #expect(hold.reason == .signInNotConfirmed)
        #expect(try await store.hold(onBank: "south") == nil, "its credentials were not stored")
        #expect(try await store.hold(onBank: "east")?.reason == .signInNotConfirmed, "a bank that was added")
        try await refusals.handOver(to: phone)
        #expect(try await store.hold(onBank: "north") == hold, "it is handed over once")
        #expect(try refusals.count(atBank: "north", at: Date()).doubtedAt == nil)
        #expect(try refusals.count(atBank: "south", at: Date()).doubtedAt != nil)
        try refusals.endCountOfLogins(bank: "south", until: Date())
        #expect(try refusals.count(atBank: "south", at: Date()).doubtedAt == nil, "a run was accepted since")
        try await refusals.takeOver(from: phone)
        try FileManager.default.removeItem(at: phone.home)
        for bank in ["north", "east"] {
            #expect(try refusals.count(atBank: bank, at: Date()).doubtedAt != nil, "\(bank): the phone was removed")
        }
    }

    @Test("make no file as long as the bank has refused no code")
    func none() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await RefusedLogins(dataFolder: folder.url).handOver(to: Self.phone(in: folder))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test("and the test logins end with a run that the bank accepts: those before it count no more")
    func accepted() async throws {
        try await TestPhone.with { phone in
            let (id, end) = (RequestID(), phone.clock.now)
            await phone.broker.offer([try phone.envelope(id: id)])
            let runner = try phone.runner()
            #expect(try await runner.refresh().pending.map(\.id) == [id])
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let refusals = RefusedLogins(dataFolder: folder.url)
            for seconds in [-60.0, -30, 30] {
                try refusals.note(bank: "default", at: end.addingTimeInterval(seconds))
                try refusals.note(bank: "north", at: end.addingTimeInterval(seconds))
            }
            let household = HouseholdFile.Phone(bankID: "default", home: phone.home.folder, pagePort: 8766)
            try await refusals.handOver(to: household, at: end)
            #expect(try refusals.count(atBank: "default", at: end).times.count == 3, "no run was accepted yet")
            try await runner.store.interrupt(id, now: end)
            #expect(try await runner.store.recordDelivery(of: id, as: "a.pdf", at: end))
            try await refusals.handOver(to: household, at: end)
            #expect(try refusals.count(atBank: "default", at: end).times == [end.addingTimeInterval(30)])
            #expect(try refusals.count(atBank: "north", at: end).times.count == 3)
        }
    }
}
