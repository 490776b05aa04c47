import Foundation
import Terminal
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("A household whose phone was deleted on its page")
struct DeletedPhoneTests {
    @Test("is told from one whose phone is there, and from one whose phone is away")
    func deleted() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (file, home) = (folder.appending("config.json"), folder.appending("phone"))
        #expect(!HouseholdRun.isPhoneDeleted(file: file), "nothing is set up")
        var phone = HouseholdFile.Phone(bankID: "north", home: home, pagePort: 8766)
        phone.wasSetUp = true
        try HouseholdFile(phone: phone, broker: nil, inbox: folder.appending("inbox")).write(to: file)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let vault = home.appending(path: "vault.json")
        try Data("{}".utf8).write(to: vault)
        #expect(!HouseholdRun.isPhoneDeleted(file: file))
        try FileManager.default.removeItem(at: vault)
        #expect(!HouseholdRun.isPhoneDeleted(file: file), "its disk may be away")
        try HouseholdFile.notePhoneDeleted(in: home, file: file)
        #expect(HouseholdRun.isPhoneDeleted(file: file))
    }

    @Test("says how to begin anew, with the broker here and elsewhere")
    func words() {
        #expect(HouseholdStart.wordsOnDeletion(hasBroker: true).hasSuffix("To begin anew: countersign up"))
        #expect(HouseholdStart.wordsOnDeletion(hasBroker: false).contains("countersign pair there"))
    }
}
