import Foundation
import Machine
import Terminal
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("The removal of a household")
struct HouseholdRemovalTests {
    private static func removal(in folder: TemporaryFolder) -> (HouseholdRemoval, HouseholdFile) {
        let data = folder.url
        let broker = HouseholdFile.Broker(
            database: data.appending(path: "broker/broker.sqlite"), port: 8765,
            sealingSecret: data.appending(path: "broker/database.secret"),
            agentToken: data.appending(path: "agent.token"))
        let phone = HouseholdFile.Phone(bankID: "north", home: data.appending(path: "phone"), pagePort: 8766)
        let household = HouseholdFile(phone: phone, broker: broker, inbox: data.appending(path: "inbox"))
        let file = data.appending(path: "config.json")
        return (HouseholdRemoval(file: file, folder: data, RunningHousehold(dataFolder: data)), household)
    }

    @Test("begins with the secrets, and ends with the file that says where everything is")
    func order() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (removal, household) = Self.removal(in: folder)
        let parts = removal.parts(of: household).map { String($0.path.dropFirst(folder.url.path.count + 1)) }
        #expect(
            parts.prefix(6) == [
                "passphrase", "phone/vault.json", "phone/tokens", "phone/push.key.pem", "agent.token",
                "broker/database.secret",
            ])
        #expect(parts.suffix(4) == ["phone", "logs", "config.json.lock", "config.json"])
        #expect(parts.contains("broker/broker.sqlite"))
    }

    @Test("goes on after a part that cannot be removed, names it, and keeps the file for another try")
    func goesOn() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (removal, household) = Self.removal(in: folder)
        let parts = removal.parts(of: household)
        var removed: [String] = []
        let problems = HouseholdRemoval.remove(parts) { part throws(FileError) in
            guard part.lastPathComponent != "logs" else { throw FileError("removed", part.path, EACCES) }
            removed.append(part.lastPathComponent)
        }
        #expect(problems.count == 1 && problems.first?.contains("logs cannot be removed") == true, "\(problems)")
        #expect(removed.count == parts.count - 2 && !removed.contains("config.json"))
        #expect(removed.contains("vault.json") && removed.contains("phone"))
        #expect(HouseholdRemoval.remove(parts) { _ in }.isEmpty)
    }

    @Test(
        "names the statements with readable names first, and no place without any",
        arguments: [
            ("/home/robin/Statements", [], "Its statements are in /home/robin/Statements."),
            (
                "/home/robin/Statements", ["/d/inbox", "/d/kept"],
                "Its statements are in /home/robin/Statements; the files from which they were filed are in /d/inbox and "
                    + "/d/kept."
            ),
            (nil, ["/d/inbox"], "Its statements are in /d/inbox."), (nil, [], "It had no statements."),
        ] as [(String?, [String], String)])
    func words(filed: String?, places: [String], words: String) {
        #expect(HouseholdRemoval.words(filed: filed, asTheyCame: places) == "The household is removed. \(words)")
    }
}
