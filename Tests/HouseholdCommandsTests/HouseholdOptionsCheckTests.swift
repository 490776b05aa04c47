import Foundation
import Terminal
import Testing

@testable import HouseholdCommands

@Suite("Options for a household that is set up")
struct HouseholdOptionsCheckTests {
    private static let folder = URL(filePath: "/home/robin/countersign", directoryHint: .isDirectory)
    private static let phone = HouseholdFile.Phone(
        bankID: "default", home: folder.appending(path: "phone", directoryHint: .isDirectory), pagePort: 8766)
    private static let broker = HouseholdFile.Broker(
        database: folder.appending(path: "broker/broker.sqlite"), port: 8765,
        sealingSecret: folder.appending(path: "broker/database.secret"),
        agentToken: folder.appending(path: "agent.token"))

    private static func household(_ parts: String) -> HouseholdFile {
        HouseholdFile(
            phone: parts.contains("phone") ? phone : nil, broker: parts.contains("broker") ? broker : nil,
            inbox: folder.appending(path: "inbox"))
    }

    @Test(
        "start the part that is here",
        arguments: [
            ("phone and broker", HouseholdOptionsCheck(bank: "default")), ("broker", HouseholdOptionsCheck()),
            ("broker", HouseholdOptionsCheck(isBrokerOnly: true)), ("phone", HouseholdOptionsCheck(isPhoneOnly: true)),
            ("phone", HouseholdOptionsCheck(credentials: "login.json", passphraseFile: "passphrase")),
            ("phone", HouseholdOptionsCheck(inbox: "/tmp/other", scripts: "scripts", isPhoneOnly: true)),
            ("broker", HouseholdOptionsCheck(inbox: "/home/robin/countersign/inbox/", isBrokerOnly: true)),
        ])
    func accepted(parts: String, check: HouseholdOptionsCheck) throws {
        try check.check(against: Self.household(parts))
    }

    @Test(
        "that belong to the other machine, or change nothing, are refused",
        arguments: [
            ("phone and broker", HouseholdOptionsCheck(isBrokerOnly: true), "its broker and its phone on this machine"),
            ("phone and broker", HouseholdOptionsCheck(isPhoneOnly: true), "its broker and its phone on this machine"),
            ("broker", HouseholdOptionsCheck(isPhoneOnly: true), "run this on the phone's machine"),
            ("broker", HouseholdOptionsCheck(bank: "mock"), "run this on the phone's machine"),
            ("phone", HouseholdOptionsCheck(isBrokerOnly: true), "run this on the broker's machine"),
            ("phone", HouseholdOptionsCheck(bank: "north"), "set up for the bank “default”"),
            ("broker", HouseholdOptionsCheck(inbox: "/tmp/other"), "change nothing"),
            ("broker", HouseholdOptionsCheck(credentials: "login.json"), "--credentials would change nothing"),
            ("broker", HouseholdOptionsCheck(scripts: "scripts"), "run this on the phone's machine"),
            ("broker", HouseholdOptionsCheck(authority: "ca.pem"), "run this on the phone's machine"),
            ("broker", HouseholdOptionsCheck(testsLogin: true), "run this on the phone's machine"),
        ])
    func refused(parts: String, check: HouseholdOptionsCheck, words: String) {
        #expect { try check.check(against: Self.household(parts)) } throws: { "\($0)".contains(words) }
    }
}
