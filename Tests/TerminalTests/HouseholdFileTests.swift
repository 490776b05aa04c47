import Encodings
import Foundation
import Machine
import Secrets
import TestSupport
import Testing

@testable import Terminal

@Suite("The file of a household")
struct HouseholdFileTests {
    private static let folder = URL(filePath: "/home/robin/.local/share/countersign", directoryHint: .isDirectory)

    private static func household(_ proxied: String?) -> HouseholdFile {
        var phone = HouseholdFile.Phone(
            bankID: "default", home: folder.appending(path: "phone", directoryHint: .isDirectory), pagePort: 8766)
        phone.proxiedPage = proxied
        let broker = HouseholdFile.Broker(
            database: folder.appending(path: "broker/broker.sqlite"), port: 8765,
            sealingSecret: folder.appending(path: "broker/database.secret"),
            agentToken: folder.appending(path: "agent.token"))
        return HouseholdFile(
            phone: phone, broker: broker, inbox: folder.appending(path: "inbox", directoryHint: .isDirectory))
    }

    @Test("says under which origin browsers find the page")
    func origin() throws {
        var household = Self.household(nil)
        #expect(household.phone?.pageOrigin == "http://localhost:8766")
        household.phone?.pageHost = "phone.home.arpa"
        #expect(household.phone?.pageOrigin == "https://phone.home.arpa:8766")
        let written = try HouseholdFile(JSONReader.read(Data(household.bytes)))
        #expect(written.broker?.statements?.path == household.broker?.statements?.path)
        household.phone?.pageHost = nil
        household.phone?.proxiedPage = "https://phone.example"
        #expect(household.phone?.pageOrigin == "https://phone.example")
    }

    @Test(
        "says under which address phones find the broker",
        arguments: [
            (nil, nil, "http://127.0.0.1:8765"), ("broker.home", nil, "https://broker.home:8765"),
            ("192.168.1.20", nil, "https://192.168.1.20:8765"), ("fd00::1", nil, "https://[fd00::1]:8765"),
            (nil, "https://broker.example", "https://broker.example"),
        ] as [(String?, String?, String)])
    func endpoint(name: String?, proxy: String?, endpoint: String) throws {
        var household = Self.household(nil)
        household.phone = nil
        household.broker?.hostName = name
        household.broker?.proxied = proxy
        #expect(household.broker?.endpoint == endpoint)
        #expect(try HouseholdFile(JSONReader.read(Data(household.bytes))) == household)
    }

    @Test("with a host name and a proxy is refused")
    func both() throws {
        var household = Self.household("https://phone.example")
        household.phone?.pageHost = "phone.home.arpa"
        let json = try JSONReader.read(Data(household.bytes))
        #expect { try HouseholdFile(json) } throws: { "\($0)".contains("do not go together") }
    }

    @Test("of an earlier version, which always has both parts, is read")
    func earlier() throws {
        let text = """
            {"agent":{"token_file":"/h/agent.token"},"bank":{"id":"default","mock":"http://127.0.0.1:8767"},"broker":{"database":\
            "/h/broker/broker.sqlite","port":8765,"sealing_secret_file":"/h/broker/database.secret"},"inbox":"/h/inbox",\
            "phone":{"home":"/h/phone","port":8766},"version":1}
            """
        let household = try HouseholdFile(JSONReader.read(text))
        #expect(household.phone?.mockBank == "http://127.0.0.1:8767" && household.phone?.brokerAddress == nil)
        #expect(household.broker?.address == "http://127.0.0.1:8765" && household.broker?.hostName == nil)
        #expect(String(decoding: household.bytes, as: UTF8.self) == text + "\n", "the same bytes are written")
    }

    @Test(
        "gives its bank and its statements' folder to its broker; a phone on another machine tells its banks itself")
    func bank() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var household = Self.household(nil).moved(to: folder.url)
        household.phone?.bankID = "my-bank"
        let broker = try #require(household.broker)
        try FileManager.default.createDirectory(
            at: broker.sealingSecret.deletingLastPathComponent(), withIntermediateDirectories: true)
        for file in [broker.agentToken, broker.sealingSecret] { try Data("secret\n".utf8).write(to: file) }
        #expect(try HouseholdFile.completing([:], with: household)["BROKER_BANK_ID"] == "my-bank")
        let own = ["BROKER_BANK_ID": "north"]
        #expect(try HouseholdFile.completing(own, with: household)["BROKER_BANK_ID"] == "north")
        household.phone = nil
        #expect(try HouseholdFile.completing([:], with: household)["BROKER_BANK_ID"] == nil)

        #expect(try HouseholdFile.completing([:], with: household)["BROKER_ARCHIVE_PATH"] == nil)
        household.broker?.statements = folder.url.appending(path: "Statements", directoryHint: .isDirectory)
        let written = try HouseholdFile(JSONReader.read(Data(household.bytes)))
        #expect(written.broker?.statements?.path == household.broker?.statements?.path)
        let variables = try HouseholdFile.completing([:], with: household)
        #expect(variables["BROKER_ARCHIVE_PATH"] == folder.url.appending(path: "Statements").path)
        #expect(variables["BROKER_ARCHIVE_TEMPLATE"] == household.filingTemplate)
    }

    @Test("carries its owner's settings to the part that takes them, and decides the rest itself")
    func settings() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var household = Self.household(nil).moved(to: folder.url)
        household.broker?.statements = folder.url.appending(path: "Statements", directoryHint: .isDirectory)
        household.settings.set("BROKER_ARCHIVE_TEMPLATE", to: "{{ year }}/{{ period }}")
        household.settings.set("VAPID_SUBJECT", to: "mailto:robin@provider.net")
        household.settings.set("TELEGRAM_BOT_TOKEN", to: Secret("the bot's token"))
        let place = folder.url.appending(path: "config.json")
        try household.write(to: place)
        let read = try #require(try HouseholdFile.read(place))
        #expect(read == household)
        let broker = try #require(read.broker)
        try FileManager.default.createDirectory(
            at: broker.sealingSecret.deletingLastPathComponent(), withIntermediateDirectories: true)
        for file in [broker.agentToken, broker.sealingSecret] { try Data("secret\n".utf8).write(to: file) }
        let variables = try HouseholdFile.completing([:], with: read)
        #expect(variables["BROKER_ARCHIVE_TEMPLATE"] == "{{ year }}/{{ period }}")
        #expect(variables["TELEGRAM_BOT_TOKEN"] == "the bot's token" && variables["VAPID_SUBJECT"] == nil)
        #expect(read.phoneVariables == ["VAPID_SUBJECT": "mailto:robin@provider.net"])
        #expect(!"\(read)".contains("the bot's token"))
    }

    @Test("keeps settings that were changed since it was read")
    func changedMeanwhile() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let place = folder.url.appending(path: "config.json")
        var household = Self.household(nil)
        try household.write(to: place)
        var chosen = household
        chosen.settings.set("BROKER_LANGUAGE", to: "de")
        chosen.broker?.statements = URL(filePath: "/home/robin/Papers", directoryHint: .isDirectory)
        try chosen.replace(place)
        household.phone?.wasSetUp = true
        try household.write(to: place)
        let read = try #require(try HouseholdFile.read(place))
        #expect(read.settings == chosen.settings && read.phone?.wasSetUp == true)
        #expect(read.broker?.statements?.path == "/home/robin/Papers")
    }

    @Test("moves the paths of its settings with it")
    func movedSettings() {
        var household = Self.household(nil)
        household.settings.set("BROKER_POLICY_FILE", to: "/home/robin/policy.yaml")
        household.settings.set("BROKER_ON_DOCUMENT", to: "/usr/local/bin/print")
        household.settings.set("BROKER_ARCHIVE_TEMPLATE", to: "{{ period }}")
        let moved = household.moved(
            to: URL(filePath: "/home/kim/.local/share/countersign", directoryHint: .isDirectory))
        let shown = moved.settings.shown.map { "\($0.name) \($0.value)" }
        #expect(
            shown == [
                "BROKER_ARCHIVE_TEMPLATE {{ period }}", "BROKER_ON_DOCUMENT /usr/local/bin/print",
                "BROKER_POLICY_FILE /home/kim/policy.yaml",
            ])
    }

    @Test("is written by one program at a time")
    func locked() throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: "config.json")
        try Self.household(nil).write(to: place)
        var lock: FileLock? = try HouseholdFile.lock(place)
        #expect(try FileLock(URL(filePath: place.path + ".lock")) == nil)
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(try FileLock(URL(filePath: place.path + ".lock")) != nil)
    }

    @Test(
        "with a setting of another type, or one that its parts do not have, is refused",
        arguments: [
            (#""settings":{"LD_PRELOAD":"/tmp/e.so"}"#, "settings.LD_PRELOAD is not a setting"),
            (#""settings":{"BROKER_PORT":"1"}"#, "settings.BROKER_PORT is not a setting"),
            (#""secrets":{"BROKER_API_TOKEN":"x"}"#, "secrets.BROKER_API_TOKEN is not a setting"),
            (#""settings":{"BROKER_LANGUAGE":1}"#, "settings.BROKER_LANGUAGE must be a text"),
            (#""secrets":[]"#, "secrets must be an object"),
        ])
    func wrongSettings(part: String, words: String) throws {
        let text = String(decoding: Self.household(nil).bytes, as: UTF8.self)
        let wrong = "{\(part)," + text.dropFirst()
        #expect { try HouseholdFile(JSONReader.read(wrong)) } throws: { "\($0)".contains(words) }
    }

    @Test("with one part is read as it was written, and says of the other that it is elsewhere")
    func onePart() throws {
        var phone = Self.household(nil)
        phone.broker = nil
        phone.phone?.brokerAddress = "https://broker.home:8765"
        phone.phone?.pendingDevices = ["0198c1f0-0000-7000-8000-000000000001"]
        #expect(try HouseholdFile(JSONReader.read(Data(phone.bytes))) == phone)
        #expect { try HouseholdFile.completing([:], with: phone) } throws: {
            "\($0)".contains("broker is on another machine, at https://broker.home:8765")
        }
        let named = ["BROKER_URL": "https://other.home:8765"]
        #expect(try HouseholdFile.completing(named, with: phone) == named)

        var broker = Self.household(nil)
        broker.phone = nil
        #expect(try HouseholdFile(JSONReader.read(Data(broker.bytes))) == broker)
        #expect(broker.mockBank(ofPhone: Self.folder) == nil)
        #expect(broker.lacksPhone.message.contains("phone is on another machine"))
    }

    @Test(
        "a phone that was set up and is away is asked after, and nothing is to begin anew; one still to be set up is not"
    )
    func away() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var household = Self.household(nil).moved(to: folder.url)
        #expect(household.phone?.absence == nil)
        household.phone?.wasSetUp = true
        #expect(try HouseholdFile(JSONReader.read(Data(household.bytes))).phone?.wasSetUp == true)
        let gone = try #require(household.phone?.absence).message
        #expect(gone.contains("/phone, is not there; is its disk mounted?"), "\(gone)")
        try FileManager.default.createDirectory(at: folder.appending("phone"), withIntermediateDirectories: true)
        let empty = try #require(household.phone?.absence).message
        #expect(empty.contains("has no vault") && empty.contains("is its disk mounted"), "\(empty)")
        for words in [gone, empty] { #expect(!words.contains("countersign up") && !words.contains("phone setup")) }
        // A backup of the broker has no vault, so a restored household asks for another phone.
        #expect(household.moved(to: folder.appending("other")).phone?.absence == nil)

        household.broker = nil
        household.phone?.brokerAddress = "https://broker.home:8765"
        household.phone?.wasSetUp = false
        #expect(household.phone?.absence != nil, "a pairing says that a phone was there")
        let file = folder.appending("config.json")
        try household.write(to: file)
        try HouseholdFile.notePhoneDeleted(in: folder.appending("another"), file: file)
        #expect(try HouseholdFile.read(file)?.bytes == household.bytes)
        try HouseholdFile.notePhoneDeleted(in: folder.appending("phone"), file: file)
        #expect(try HouseholdFile.read(file)?.phone?.absence == nil)
    }

    @Test("names the broker with which its phone was paired again, and no other phone's")
    func pairedAgain() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (file, new) = (folder.appending("config.json"), "https://new.home:8765")
        var household = Self.household(nil).moved(to: folder.url)
        try household.write(to: file)
        try HouseholdFile.notePairing(ofPhone: folder.appending("phone"), with: new, file: file)
        #expect(try HouseholdFile.read(file)?.bytes == household.bytes, "the broker is its own")
        household.broker = nil
        household.phone?.brokerAddress = "https://old.home:8765"
        try household.write(to: file)
        for (phone, address) in [("another", "https://old.home:8765"), ("phone", new)] {
            try HouseholdFile.notePairing(ofPhone: folder.appending(phone), with: new, file: file)
            #expect(try HouseholdFile.read(file)?.phone?.brokerAddress == address)
        }
        let missing = folder.appending("missing.json")
        try HouseholdFile.notePairing(ofPhone: folder.appending("phone"), with: new, file: missing)
        #expect(try HouseholdFile.read(missing) == nil)
    }

    @Test("keeps what another program changes while a pairing or a deletion is noted", arguments: [false, true])
    func notedMeanwhile(isDeletion: Bool) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (file, phone, new) = (folder.appending("config.json"), folder.appending("phone"), "https://new.home:8765")
        var household = Self.household(nil).moved(to: folder.url)
        household.broker = nil
        household.phone?.brokerAddress = "https://old.home:8765"
        try household.write(to: file)
        var lock: FileLock? = try HouseholdFile.lock(file)
        async let noted: Void = BlockingWork.run {
            if isDeletion {
                try HouseholdFile.notePhoneDeleted(in: phone, file: file)
            } else {
                try HouseholdFile.notePairing(ofPhone: phone, with: new, file: file)
            }
        }
        // Long enough to have read the file before it is changed.
        try await Task.sleep(for: .milliseconds(200))
        household.phone?.pageHost = "phone.home.arpa"
        try household.replace(file)
        withExtendedLifetime(lock) {}
        lock = nil
        try await noted
        let read = try #require(try HouseholdFile.read(file)?.phone)
        #expect(read.pageHost == "phone.home.arpa")
        #expect(read.brokerAddress == (isDeletion ? nil : new))
    }

    @Test(
        "without a part, or with brokers of two machines, is refused",
        arguments: [
            (#"{"version":1,"inbox":"/h/inbox"}"#, "phone and broker are missing"),
            (#"{"version":1,"inbox":"/h/inbox","phone":{"home":"/h/phone","port":8766}}"#, "bank.id is missing"),
            (
                #"{"version":1,"inbox":"/h/inbox","broker":{"database":"/h/b","port":1,"sealing_secret_file":"/h/s"}}"#,
                "agent.token_file is missing"
            ),
            (
                #"{"version":1,"inbox":"/h/i","bank":{"id":"d"},"phone":{"home":"/h/p","port":2,"broker":"https://b"},"#
                    + #""broker":{"database":"/h/b","port":1,"sealing_secret_file":"/h/s"},"agent":{"token_file":"/h/t"}}"#,
                "another machine's broker"
            ),
        ])
    func incomplete(text: String, words: String) throws {
        let json = try JSONReader.read(text)
        #expect { try HouseholdFile(json) } throws: { "\($0)".contains(words) }
    }

    @Test("moves with its folder, and leaves what lies elsewhere")
    func moved() {
        let new = URL(filePath: "/home/ada/countersign", directoryHint: .isDirectory)
        var household = Self.household(nil)
        household.inbox = URL(filePath: "/home/robin/Sync/inbox", directoryHint: .isDirectory)
        let moved = household.moved(to: new)
        #expect(moved.phone?.home.path == "/home/ada/countersign/phone" && moved.inbox.path == household.inbox.path)
        #expect(moved.broker?.database.path == "/home/ada/countersign/broker/broker.sqlite")
        household.broker = nil
        #expect(household.moved(to: new).phone?.home.path == "/home/ada/countersign/phone")
    }

    @Test(
        "takes its person's own folders along to another home, if each home has the usual folder",
        arguments: [
            (
                "/home/eve/.local/share/countersign", "/home/robin/Documents/Statements",
                "/home/eve/Documents/Statements"
            ),
            ("/Users/robin/.local/share/countersign", "/home/robin/Sync", "/Users/robin/Sync"),
            ("/home/eve/.local/share/countersign", "/home/robins/Statements", "/home/robins/Statements"),
            ("/home/eve/.local/share/countersign", "/srv/statements", "/srv/statements"),
            ("/srv/countersign", "/home/robin/Documents/Statements", "/home/robin/Documents/Statements"),
            ("/home/robin/.local/share/countersign", "/home/robin/Statements", "/home/robin/Statements"),
        ])
    func movedHome(folder: String, old: String, new: String) {
        var household = Self.household(nil)
        household.broker?.statements = URL(filePath: old, directoryHint: .isDirectory)
        household.phone?.scripts = old
        let moved = household.moved(to: URL(filePath: folder, directoryHint: .isDirectory))
        #expect(moved.broker?.statements?.path == new && moved.phone?.scripts == new)
        #expect(moved.broker?.database.path == "\(folder)/broker/broker.sqlite")
    }

    @Test("is read as it was written, with and without a proxy", arguments: [nil, "https://phone.example"])
    func written(_ proxied: String?) throws {
        let household = Self.household(proxied)
        let json = try JSONReader.read(Data(household.bytes))
        #expect(json["phone"]?["behind_proxy"]?.stringValue == proxied)
        #expect(try HouseholdFile(json) == household)
    }
}
