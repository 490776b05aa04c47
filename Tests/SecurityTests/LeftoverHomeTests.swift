import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import TestParties
import TestSupport
import Testing

/// Someone who gets the machine after the owner has given the phone up, or a bank.
@Suite("What a phone keeps after its owner said forget")
struct LeftoverHomeTests {
    @Test("is nothing of its own, and the files of others stay")
    func forget() async throws {
        try await TestPhone.with { phone in
            let mine = phone.home.folder.appending(path: "notes.txt")
            try Data("mine".utf8).write(to: mine)
            #expect(try phone.home.forget() == ["notes.txt"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: phone.home.folder.path) == ["notes.txt"])
            try FileManager.default.removeItem(at: mine)
            #expect(try phone.home.forget().isEmpty)
            #expect(!FileManager.default.fileExists(atPath: phone.home.folder.path))
        }
    }

    @Test("does not include the credentials of a removed bank")
    func bank() async throws {
        try await TestPhone.with { phone in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            let credentials = CredentialVault(secrets, store: try PhoneDatabase(phone.home))
            try await credentials.set(
                [
                    "username": Secret("byron-of-other-bank"), "password": Secret("difference-engine-1822"),
                    "pin": Secret("18151210"),
                ], forBank: "other")
            #expect(try await credentials.banks().map(\.bankID) == ["default", "other"])
            #expect(try await credentials.banks().last?.credentials == ["password", "pin", "username"])

            try await credentials.replace(
                ["username": Secret("byron-of-other-bank"), "password": Secret("another-engine-1837")], forBank: "other"
            )
            #expect(try await credentials.banks().last?.credentials == ["password", "username"], "no old pin")
            try await credentials.removeAll(forBank: "other")
            #expect(try await credentials.banks().map(\.bankID) == ["default"])
            #expect(try await secrets.names().filter { $0.hasPrefix("credential/other/") }.isEmpty)
            await #expect(throws: PhoneError.self) { try await credentials.removeAll(forBank: "other") }
        }
    }
}
