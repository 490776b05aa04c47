import AssistantStore
import Encodings
import Foundation
import TestParties
import Testing

@testable import Assistant

@Suite("Sign-in with a passkey") struct PasskeySignInTests {
    private static let url = "http://localhost:8790"

    /// A passkey that answers for the assistant's site.
    private static func passkey() -> SoftPasskey {
        let passkey = SoftPasskey()
        passkey.rpID = "localhost"
        passkey.origin = url
        passkey.credentialID = Array(UUID().uuidString.utf8)
        return passkey
    }

    private static func start(_ stage: AssistantStage, _ ceremony: String, _ more: [String: JSONValue] = [:])
        async throws
        -> (id: JSONValue, options: JSONValue, challenge: [UInt8])
    {
        let fields: [String: JSONValue] = ["device_id": "phone"]
        let answer = try await stage.send(
            "POST", "/v1/auth/passkey/\(ceremony)/start", .object(fields.merging(more) { $1 }))
        let options = try #require(answer.json["public_key"], "\(answer.json)")
        return (
            try #require(answer.json["challenge_id"]), options, try #require(Base64URL.decode(options["challenge"]))
        )
    }

    private static func register(
        _ passkey: SoftPasskey, _ stage: AssistantStage, _ more: [String: JSONValue] = [:]
    ) async throws -> AssistantStage.Answer {
        let asked = try await start(stage, "register", ["time_zone": "Asia/Tokyo"])
        let made = passkey.created(asked.challenge)
        let fields: [String: JSONValue] = [
            "challenge_id": asked.id, "device_id": "phone",
            "credential": [
                "id": .string(Base64URL.encode(passkey.credentialID)), "type": "public-key",
                "response": [
                    "clientDataJSON": .string(Base64URL.encode(made.clientDataJSON)),
                    "attestationObject": .string(Base64URL.encode(made.attestationObject)),
                ],
            ],
        ]
        return try await stage.send(
            "POST", "/v1/auth/passkey/register/finish", .object(fields.merging(more) { $1 }))
    }

    private static func logIn(
        _ passkey: SoftPasskey, _ stage: AssistantStage, id: JSONValue? = nil, handle: JSONValue? = nil,
        asked earlier: (id: JSONValue, options: JSONValue, challenge: [UInt8])? = nil
    ) async throws -> AssistantStage.Answer {
        let fresh = try await start(stage, "login")
        let asked = earlier ?? fresh
        let made = try passkey.signed(asked.challenge)
        passkey.signCount += 1
        var response: [String: JSONValue] = [
            "clientDataJSON": .string(Base64URL.encode(made.clientDataJSON)),
            "authenticatorData": .string(Base64URL.encode(made.authenticatorData)),
            "signature": .string(Base64URL.encode(made.signature)),
        ]
        response["userHandle"] = handle
        let body: JSONValue = [
            "challenge_id": id ?? asked.id, "device_id": "phone",
            "credential": ["id": .string(Base64URL.encode(passkey.credentialID)), "response": .object(response)],
        ]
        return try await stage.send("POST", "/v1/auth/passkey/login/finish", body)
    }

    @Test("a registration makes a user, whom the passkey signs in again", arguments: AssistantStage.Store.all)
    func road(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let passkey = Self.passkey()
            let first = try await Self.register(passkey, stage)
            #expect(first.status == 200, "\(first.json)")
            passkey.signCount += 1
            let second = try await Self.logIn(passkey, stage)
            #expect(second.status == 200, "\(second.json)")
            let user = try SignInTests.claim("sub", of: first.text("access_token"))
            #expect(try SignInTests.claim("sub", of: second.text("access_token")) == user)
            let token = try second.text("access_token")
            #expect(try await stage.send("GET", "/v1/preferences", token: token).json["time_zone"] == "Asia/Tokyo")
            let events = try await stage.send("GET", "/v1/audit-events", token: token).json["items"]?.arrayValue ?? []
            #expect(
                events.map { $0["metadata"] } == [
                    ["method": "passkey", "new_user": false], ["method": "passkey", "new_user": true],
                ])
            let handle = Base64URL.encode(UUIDText.bytes(user))
            #expect(try await Self.logIn(passkey, stage, handle: .string(handle)).status == 200)
            #expect(try await Self.logIn(passkey, stage, handle: "AAAA").code == "INVALID_PASSKEY")
        }
    }

    @Test("the options are the standard's, for this site and with user verification")
    func options() async throws {
        try await AssistantStage().run { stage in
            let creation = try await Self.start(stage, "register").options
            #expect(creation["rp"]?["id"] == "localhost")
            #expect(creation["authenticatorSelection"]?["userVerification"] == "required")
            #expect(Base64URL.decode(creation["user"]?["id"])?.count == 16)
            let request = try await Self.start(stage, "login").options
            #expect(request["rpId"] == "localhost")
            #expect(request["allowCredentials"] == [])
        }
    }

    static let bends: [(name: String, bend: @Sendable (SoftPasskey) -> Void)] = [
        ("another origin", { $0.origin = "https://evil.example" }), ("another site", { $0.rpID = "evil.example" }),
        ("not verified", { $0.flags = 0x01 }), ("another ceremony", { $0.type = "payment.get" }),
        ("inside another page", { $0.extraClientData = #","crossOrigin":true"# }),
    ]

    @Test("an answer with one wrong part is refused", arguments: bends.indices)
    func refused(_ index: Int) async throws {
        let (name, bend) = Self.bends[index]
        try await AssistantStage().run { stage async throws in
            let passkey = Self.passkey()
            bend(passkey)
            #expect(try await Self.register(passkey, stage).code == "INVALID_PASSKEY", "\(name)")
            let right = Self.passkey()
            #expect(try await Self.register(right, stage).status == 200)
            right.signCount += 1
            bend(right)
            #expect(try await Self.logIn(right, stage).code == "INVALID_PASSKEY", "\(name)")
        }
    }

    @Test("a challenge counts once and for its own passkey; a copied or unknown passkey is refused")
    func challenges() async throws {
        try await AssistantStage().run { stage in
            let passkey = Self.passkey()
            #expect(try await Self.register(passkey, stage).status == 200)
            #expect(try await Self.register(passkey, stage).code == "INVALID_PASSKEY")
            let asked = try await Self.start(stage, "login")
            #expect(try await Self.logIn(passkey, stage, id: asked.id).code == "INVALID_PASSKEY")
            #expect(try await Self.logIn(passkey, stage, id: "x").code == "INVALID_PASSKEY")
            #expect(try await Self.logIn(Self.passkey(), stage).code == "INVALID_PASSKEY")
            passkey.signCount = 10
            #expect(try await Self.logIn(passkey, stage).status == 200)
            passkey.signCount = 5
            #expect(try await Self.logIn(passkey, stage).code == "INVALID_PASSKEY")
            let other = Self.passkey()
            other.credentialID = passkey.credentialID
            other.signCount = 20
            #expect(try await Self.logIn(other, stage).code == "INVALID_PASSKEY")
        }
    }

    @Test("an answer that comes too late is refused")
    func late() async throws {
        try await AssistantStage().run { stage in
            let asked = try await Self.start(stage, "register")
            stage.wait(300)
            let passkey = Self.passkey()
            let made = passkey.created(asked.challenge)
            let answer = try await stage.send(
                "POST", "/v1/auth/passkey/register/finish",
                [
                    "challenge_id": asked.id, "device_id": "phone",
                    "credential": [
                        "response": [
                            "clientDataJSON": .string(Base64URL.encode(made.clientDataJSON)),
                            "attestationObject": .string(Base64URL.encode(made.attestationObject)),
                        ]
                    ],
                ])
            #expect(answer.code == "INVALID_PASSKEY")
        }
    }

    @Test("a new user needs an invitation, with the start or with the answer")
    func invitations() async throws {
        try await AssistantStage { $0.signup = .invite }.run { stage in
            #expect(try await Self.register(Self.passkey(), stage).code == "SIGNUP_CLOSED")
            let code = try await AssistantAdministration(stage.configuration).invite(days: 7, at: stage.now)
            #expect(try await Self.register(Self.passkey(), stage, ["invite_code": .string(code)]).status == 200)
            #expect(try await Self.register(Self.passkey(), stage, ["invite_code": .string(code)]).status == 403)
        }
    }

    @Test("1,200 questions of strangers displace no person's, and store nothing")
    func strangers() async throws {
        try await AssistantStage().run { stage in
            let passkey = Self.passkey()
            #expect(try await Self.register(passkey, stage).status == 200)
            let asked = try await Self.start(stage, "login")
            for _ in 0..<1200 { _ = try await Self.start(stage, "login") }
            passkey.signCount += 1
            let answer = try await Self.logIn(passkey, stage, asked: asked)
            #expect(answer.status == 200, "\(answer.json)")
            let database = try await stage.openDatabase()
            let rows = try await database.driver.transaction(.reading) { session in
                try session.rows("SELECT digest FROM answered_challenges", []).count
            }
            await database.close()
            #expect(rows == 2)
        }
    }

    @Test("a right answer counts once, also when 16 copies come at once, and also for a passkey that does not count")
    func copies() async throws {
        try await AssistantStage().run { stage in
            let passkey = Self.passkey()
            passkey.signCount = 0
            #expect(try await Self.register(passkey, stage).status == 200)
            let asked = try await Self.start(stage, "login")
            let made = try passkey.signed(asked.challenge)
            let body: JSONValue = [
                "challenge_id": asked.id, "device_id": "phone",
                "credential": [
                    "id": .string(Base64URL.encode(passkey.credentialID)),
                    "response": [
                        "clientDataJSON": .string(Base64URL.encode(made.clientDataJSON)),
                        "authenticatorData": .string(Base64URL.encode(made.authenticatorData)),
                        "signature": .string(Base64URL.encode(made.signature)),
                    ],
                ],
            ]
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try await stage.send("POST", "/v1/auth/passkey/login/finish", body).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(answers.filter { $0 == 200 }.count == 1 && answers.filter { $0 == 401 }.count == 15)
        }
    }

    @Test("a challenge counts for its ceremony and its device only, and no bit of it may change")
    func bindings() async throws {
        try await AssistantStage { $0.refusedBurst = 10_000 }.run { stage in
            let passkey = Self.passkey()
            #expect(try await Self.register(passkey, stage).status == 200)
            passkey.signCount += 1
            let other = try await Self.start(stage, "login", ["device_id": "tablet"])
            #expect(try await Self.logIn(passkey, stage, asked: other).code == "INVALID_PASSKEY")
            let registration = try await Self.start(stage, "register")
            #expect(try await Self.logIn(passkey, stage, asked: registration).code == "INVALID_PASSKEY")
            var asked = try await Self.start(stage, "login")
            let text = try #require(asked.id.stringValue)
            for place in stride(from: 0, to: text.count, by: 7) {
                var letters = Array(text)
                letters[place] = letters[place] == "A" ? "B" : "A"
                asked.id = .string(String(letters))
                #expect(try await Self.logIn(passkey, stage, asked: asked).code == "INVALID_PASSKEY", "\(place)")
            }
            // A token of another use, signed by the same service.
            let token = try await stage.accessToken()
            #expect(try await Self.logIn(passkey, stage, id: .string(token)).code == "INVALID_PASSKEY")
        }
    }
}
