import BrokerStore
import DeviceTrust
import Encodings
import Foundation
import Messages
import Notifications
import Synchronization
import TestParties
import Testing

@testable import Broker

/// A channel that keeps the texts of its messages.
private final class TextChannel: OwnerChannel {
    private let texts = Mutex<[String]>([])

    func send(_ message: OwnerMessage) async throws -> String? {
        texts.withLock { $0.append(message.text) }
        return nil
    }

    func check() async throws -> String { "it is there" }

    /// Waits for the message of this number, from 1.
    func text(_ number: Int) async throws -> String {
        while texts.withLock({ $0.count }) < number { try await Task.sleep(for: .milliseconds(10)) }
        return texts.withLock { $0[number - 1] }
    }
}

@Suite("Two people with banks of their own at one broker", .timeLimit(.minutes(4)))
struct DevicesOfBanksTests {
    private static func bank(_ id: String, _ accounts: [JSONValue] = [], kinds: [JSONValue] = ["pdf"]) -> JSONValue {
        var members: [String: JSONValue] = [
            "bank_id": .string(id), "name": .string(id.uppercased()), "documents": true, "kinds": .array(kinds),
        ]
        if !accounts.isEmpty { members["accounts"] = .array(accounts) }
        return .object(members)
    }

    private static func tell(_ phone: PairedPhone, _ banks: JSONValue...) async throws {
        #expect(try await phone.send("PUT", "/phone/banks", ["banks": .array(banks)]).status == 200)
    }

    private static func ask(_ stage: BrokerStage, _ body: JSONValue) async throws -> (status: Int, json: JSONValue) {
        let answer = try await stage.send("POST", "/request", body)
        return (answer.status, answer.json)
    }

    private static func id(_ answer: (status: Int, json: JSONValue)) throws -> RequestID {
        #expect(answer.status == 202, "\(answer.json)")
        return try #require(answer.json["request_id"]?.stringValue.flatMap { RequestID($0) })
    }

    private static func banks(_ pending: [JSONValue]) -> [String] {
        pending.compactMap { $0["envelope"]?["bank_id"]?.stringValue }.sorted()
    }

    /// Lets two people pair their phones, one with the bank `north`, one with `south`.
    private static func two(
        under policy: ApprovalPolicy = .open, channels: [NamedChannel] = [],
        _ body: @escaping @Sendable (BrokerStage, PairedPhone, PairedPhone) async throws -> Void
    ) async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.policy = policy
        try await stage.run(configuration, channels: channels) { stage in
            let (ada, bob) = (try await stage.pair("Ada"), try await stage.pair("Bob"))
            try await stage.administration().devices.switchDefaultDevice(on: false)
            try await tell(ada, bank("north", ["Savings"]))
            try await tell(bob, bank("south"))
            try await body(stage, ada, bob)
        }
    }

    @Test("each phone gets its own bank's requests, and has no say in the other's")
    func requests() async throws {
        try await Self.two { stage, ada, bob in
            let north = try Self.id(
                try await Self.ask(stage, ["type": "statement", "month": 1, "year": 2026, "bank_id": "north"]))
            let south = try Self.id(
                try await Self.ask(stage, ["type": "statement", "month": 1, "year": 2026, "bank_id": "south"]))
            #expect(try await Self.banks(ada.pending()) == ["north"])
            #expect(try await Self.banks(bob.pending()) == ["south"])
            // A denial needs no signature and no nonce.
            let denied = try await bob.decide(north, "DENY")
            #expect(denied.status == 403 && denied.json["error_code"] == "OTHER_DEVICE", "\(denied.json)")
            let envelope = try await ada.envelope(of: north)
            let approval = try await bob.approval(of: envelope)
            #expect(try await bob.decide(north, "APPROVE", approval).status == 403)
            #expect(try await stage.status(north) == "PENDING_APPROVAL")
            #expect(try await ada.approve(north).status == 200)
            #expect(try await bob.decide(south, "DENY").status == 200)
        }
    }

    @Test("each phone gets its own bank's offers, and cannot open or dismiss the other's")
    func offers() async throws {
        try await Self.two { stage, ada, bob in
            let made = try await stage.send(
                "POST", "/offers", ["from": "2026-01", "to": "2026-01", "bank_id": "north"])
            let id = try #require(made.json["offer_id"]?.stringValue)
            func listed(_ phone: PairedPhone) async throws -> [String?] {
                (try await phone.send("GET", "/phone/offers").json["offers"]?.arrayValue ?? []).map {
                    $0["offer_id"]?.stringValue
                }
            }
            #expect(try await listed(ada) == [id])
            #expect(try await listed(bob) == [])
            for action in ["open", "dismiss"] {
                #expect(try await bob.send("POST", "/phone/offers/\(id)/\(action)", [:]).status == 404)
            }
            #expect(try await listed(ada) == [id], "nothing has changed")
            #expect(try await ada.send("POST", "/phone/offers/\(id)/open", [:]).status == 200)
            #expect(try await Self.banks(ada.pending()) == ["north"])
            #expect(try await Self.banks(bob.pending()) == [])
        }
    }

    @Test("a phone that says no language withdraws what it said itself, and nothing that the other said")
    func languages() async throws {
        try await Self.two { stage, ada, bob in
            let steps: [(phone: PairedPhone, says: String?, isThen: String?)] = [
                (bob, nil, nil), (ada, "de", "de"), (bob, nil, "de"), (bob, "fr", "fr"), (ada, nil, "fr"),
                (ada, "es", "es"), (ada, nil, "fr"), (bob, nil, nil), (ada, nil, nil), (ada, "de", "de"),
                (bob, "tlh", "de"),
            ]
            for (number, step) in steps.enumerated() {
                var body: [String: JSONValue] = ["banks": []]
                body["language"] = step.says.map { .string($0) }
                #expect(try await step.phone.send("PUT", "/phone/banks", .object(body)).status == 200)
                let told = try await stage.administration().database.owner.languages()["page"]
                #expect(told == step.isThen, "after step \(number)")
            }
        }
    }

    @Test(
        "a removed phone's language goes with it, and what the phone that is left says counts", arguments: ["de", nil])
    func languageOfRemovedPhone(left: String?) async throws {
        try await Self.two { stage, ada, bob in
            func say(_ phone: PairedPhone, _ language: String?) async throws -> [String: String] {
                var body: [String: JSONValue] = ["banks": []]
                body["language"] = language.map { .string($0) }
                #expect(try await phone.send("PUT", "/phone/banks", .object(body)).status == 200)
                return try await stage.administration().database.owner.languages()
            }
            _ = try await say(ada, left)
            #expect(try await say(bob, "fr")["page"] == "fr")
            try await stage.administration().devices.remove(bob.id)
            let told = try await stage.administration().database.owner.languages()
            #expect(told["page"] == left && !told.values.contains("fr"), "\(told)")
            #expect(try await say(ada, left)["page"] == left)
            // The running broker still knew this one, and keeps it anew.
            #expect(try await say(ada, "fr")["page"] == "fr")
        }
    }

    @Test("the running broker's next message is in the language of the phone that is left")
    func messageAfterRemoval() async throws {
        let channel = TextChannel()
        try await Self.two(channels: [NamedChannel("kept", channel)]) { stage, ada, bob in
            for (phone, bank, language) in [(ada, "north", "de"), (bob, "south", "fr")] {
                let body: JSONValue = ["banks": [Self.bank(bank)], "language": .string(language)]
                #expect(try await phone.send("PUT", "/phone/banks", body).status == 200)
            }
            func text(ofRequestFor month: Int) async throws -> String {
                let body: JSONValue = [
                    "type": "statement", "month": .number(Double(month)), "year": 2026, "bank_id": "north",
                ]
                _ = try Self.id(try await Self.ask(stage, body))
                return try await channel.text(month)
            }
            #expect(try await text(ofRequestFor: 1).contains("relevé"))
            // As the command at the broker's machine does, with a connection of its own to the database.
            try await stage.administration().devices.remove(bob.id)
            #expect(try await text(ofRequestFor: 2).contains("Kontoauszug"))
        }
    }

    @Test("with accounts of one bank on two phones, a request goes to the phone that has its account")
    func accounts() async throws {
        try await Self.two { stage, ada, bob in
            try await Self.tell(ada, Self.bank("north", ["Ada Giro", "Ada Savings"]))
            try await Self.tell(bob, Self.bank("north", ["Bob Giro"]))
            let range: [String: JSONValue] = [
                "type": "documents", "from": "2026-01", "to": "2026-01", "bank_id": "north",
            ]
            func ask(_ field: String, _ accounts: JSONValue?) async throws -> (status: Int, json: JSONValue) {
                try await Self.ask(stage, .object(range.merging(accounts.map { [field: $0] } ?? [:]) { $1 }))
            }
            let listed = try await stage.send("GET", "/banks").json["banks"]?.arrayValue ?? []
            #expect(listed.count == 1 && listed.first?["accounts"] == ["Ada Giro", "Ada Savings", "Bob Giro"])
            _ = try Self.id(try await ask("account", "Bob Giro"))
            #expect(try await ada.pending().isEmpty)
            #expect(try await bob.pending().count == 1)
            _ = try Self.id(try await ask("accounts", ["Ada Giro", "Ada Savings"]))
            #expect(try await ada.pending().count == 1)
            #expect(try await bob.pending().count == 1)

            let all = try await ask("accounts", nil)
            #expect(all.status == 400, "no phone has all of them: \(all.json)")
            let words = all.json["error_message"]?.stringValue ?? ""
            #expect(words.contains("“accounts”") && words.contains("Ada Giro, Ada Savings; or Bob Giro"), "\(words)")
            let mixed = try await ask("accounts", ["Ada Giro", "Bob Giro"])
            #expect(mixed.status == 400, "\(mixed.json)")
            #expect(mixed.json["error_message"]?.stringValue?.contains("Ada Giro, Ada Savings; or Bob Giro") == true)
        }
    }

    @Test("a rule of two devices counts those that have the bank, and refuses at once where fewer than two have it")
    func twoDevices() async throws {
        let yaml = """
            version: 1
            rules:
              - bank: "*"
                devices: 2
                reason: two for everything
            """
        try await Self.two(under: try ApprovalPolicy(yaml: yaml)) { stage, ada, bob in
            let body: JSONValue = ["type": "statement", "month": 1, "year": 2026, "bank_id": "north"]
            let refused = try await Self.ask(stage, body)
            #expect(refused.status == 409 && refused.json["error_code"] == "FACTOR_UNAVAILABLE", "\(refused.json)")
            let words = refused.json["error_message"]?.stringValue ?? ""
            #expect(words.contains("there are 2, of which 1 has this bank"), "\(words)")
            // A device that was just paired and has not told of its banks does not count either.
            let tablet = try await stage.pair("Ada's tablet")
            #expect(try await Self.ask(stage, body).status == 409)
            try await Self.tell(tablet, Self.bank("north", ["Savings"]))
            let id = try Self.id(try await Self.ask(stage, body))
            #expect(try await ada.approve(id).status == 202)
            #expect(try await bob.decide(id, "DENY").status == 403)
            #expect(try await tablet.approve(id).status == 200)
        }
    }

    @Test(
        "a phone that has forgotten its banks gets no more requests; one that never told, as the specification's, gets all"
    )
    func told() async throws {
        try await Self.two { stage, ada, bob in
            _ = try Self.id(
                try await Self.ask(stage, ["type": "statement", "month": 1, "year": 2026, "bank_id": "north"]))
            let old = try await stage.pair("An earlier phone")
            #expect(try await Self.banks(old.pending()) == ["north"])
            try await Self.tell(ada)
            #expect(try await ada.pending().isEmpty)
            // The broker's own bank is on none of the phones that have told, and may be on the one that has not.
            #expect(try await Self.ask(stage, ["type": "statement", "month": 2, "year": 2026]).status == 202)
            try await stage.administration().devices.remove(old.id)
            let own = try await Self.ask(stage, ["type": "statement", "month": 3, "year": 2026])
            // Now every phone has told, and only one bank is left.
            #expect(own.status == 202, "\(own.json)")
            #expect(try await Self.banks(bob.pending()).last == "south")
            let named = try await Self.ask(
                stage, ["type": "statement", "month": 3, "year": 2026, "bank_id": "default"])
            #expect(named.status == 400, "\(named.json)")
            #expect(named.json["error_message"]?.stringValue?.contains("the banks are south") == true, "\(named.json)")
        }
    }
}
