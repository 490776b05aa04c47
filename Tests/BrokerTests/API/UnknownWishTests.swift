import Encodings
import Messages
import TestParties
import Testing

@Suite("What an agent cannot ask for")
struct UnknownWishTests {
    /// One bank with everything, one that gives one statement in a visit, one without accounts, and one without PDF.
    private static let banks: JSONValue = [
        "banks": [
            [
                "bank_id": "default", "name": "Meridian", "documents": true, "kinds": ["pdf", "camt"],
                "accounts": ["Giro", "Savings"],
            ],
            ["bank_id": "plain", "name": "Plain"],
            ["bank_id": "single", "name": "Single", "documents": true],
            ["bank_id": "tables", "name": "Tables", "documents": true, "kinds": ["camt", "csv"]],
        ]
    ]

    /// A refused body, and what its message has to name: the field that was asked with, and what there is.
    struct Wish: Sendable, CustomTestStringConvertible {
        let members: [String: JSONValue]
        let names: [String]
        var isStatement = false
        /// An offer of it becomes a request for a statement.
        var isOfferable = false

        var testDescription: String { JSONValue.object(members).compactText() }
    }

    @Test(
        "is refused with the field that was asked with, and what there is",
        arguments: [
            Wish(members: ["bank_id": "west"], names: ["“bank_id”", "default, plain, single"]),
            Wish(members: ["bank_id": "West!"], names: ["“bank_id”", "GET /banks"]),
            Wish(
                members: ["bank_id": "plain"], names: ["“bank_id”", "one statement in a visit", "default, single"],
                isOfferable: true),
            Wish(members: ["account": "Loans"], names: ["“account” ", "“Loans”", "Giro, Savings"]),
            Wish(members: ["accounts": ["Giro", "Loans"]], names: ["“accounts” ", "“Loans”", "Giro, Savings"]),
            Wish(
                members: ["bank_id": "single", "account": "Giro"],
                names: ["“account” ", "no account “Giro”", "ask without accounts"]),
            Wish(
                members: ["account": "DE12 5001 0517 0648 4898 90"], names: ["“account” ", "never an account's number"]),
            Wish(members: ["account": "Giro", "accounts": ["Savings"]], names: ["“accounts” ", "beside “account”"]),
            Wish(members: ["accounts": ["Giro", "Giro"]], names: ["“accounts” ", "twice"]),
            Wish(members: ["kinds": ["ofx"]], names: ["“kinds”", "ofx", "camt, pdf"]),
            Wish(
                members: ["kinds": ["docx"]],
                names: ["“kinds”", DocumentKind.allCases.map(\.rawValue).joined(separator: ", ")]),
            Wish(members: ["kinds": ["pdf", "pdf"]], names: ["“kinds”", "twice"]),
            Wish(members: ["to": "2100-01"], names: ["“to”", "too far"]),
            Wish(members: ["from": "2099-12", "to": "2100-01"], names: ["“to”", "2099-12", "has not begun"]),
            Wish(members: ["to": "2025-12"], names: ["“to”", "before “from”"]),
            Wish(members: ["from": "2026-13"], names: ["“from”", "2026-01"]),
            Wish(members: ["from": "January"], names: ["“from”", "2026-01"]),
            Wish(members: ["from": "1989-12", "to": "1990-01"], names: ["“from”", "1990"]),
            // 31 months of two accounts in two kinds; without accounts, every account is meant.
            Wish(
                members: [
                    "from": "2023-01", "to": "2025-07", "kinds": ["pdf", "camt"], "accounts": ["Giro", "Savings"],
                ],
                names: ["“to”", "at most 120 documents", "31 months × 2 kinds × 2 accounts"]),
            Wish(
                members: ["from": "2023-01", "to": "2025-07", "kinds": ["pdf", "camt"]],
                names: ["“to”", "at most 120 documents", "31 months × 2 kinds × 2 accounts"]),
            Wish(members: ["banks": ["default"]], names: ["unknown fields", "“banks”", "bank_id"]),
            Wish(members: ["refetch": "yes"], names: ["“refetch”", "true or false"]),
            Wish(members: ["account": "Giro"], names: ["unknown fields", "“account”", "bank_id"], isStatement: true),
            Wish(members: ["bank_id": "west"], names: ["“bank_id”", "default, plain, single"], isStatement: true),
            Wish(
                members: ["bank_id": "tables"],
                names: ["“bank_id”", "“tables”, which gives no statement as PDF", "it offers: camt, csv"],
                isStatement: true),
            Wish(members: ["year": 2099], names: ["“month”", "2099-01", "has not begun"], isStatement: true),
            Wish(members: ["month": 13], names: ["“month”", "1 to 12"], isStatement: true),
            Wish(members: ["year": 1989], names: ["“year”", "1990 to 2100"], isStatement: true),
        ])
    func refused(wish: Wish) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            #expect(try await stage.send("PUT", "/phone/banks", as: .phone, Self.banks).status == 200)
            let usual: [String: JSONValue] =
                wish.isStatement
                ? ["type": "statement", "month": 1, "year": 2026]
                : ["type": "documents", "from": "2026-01", "to": "2026-01"]
            let answer = try await stage.send("POST", "/request", .object(usual.merging(wish.members) { $1 }))
            #expect(answer.status == 400 && answer.json["error_code"] == "INVALID_FIELD", "\(answer.json)")
            let message = answer.json["error_message"]?.stringValue ?? ""
            for name in wish.names { #expect(message.contains(name), "\(name) is not in: \(message)") }
            #expect(try await stage.send("GET", "/requests").json["requests"] == [], "nothing is stored")
            // An offer of the same is refused as a request is, with its own fields.
            guard !wish.isStatement, !wish.isOfferable, wish.members["refetch"] == nil else { return }
            var offer = usual.merging(wish.members) { $1 }
            offer["type"] = nil
            let offered = try await stage.send("POST", "/offers", .object(offer))
            #expect(offered.status == 400, "\(offered.json)")
            #expect(try await stage.send("GET", "/offers").json == ["offers": []])
        }
    }

    @Test("120 documents are one request")
    func most() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            _ = try await stage.send("PUT", "/phone/banks", as: .phone, Self.banks)
            let body: JSONValue = [
                "type": "documents", "from": "2023-01", "to": "2025-06", "kinds": ["pdf", "camt"],
            ]
            let answer = try await stage.send("POST", "/request", body)
            #expect(answer.status == 202, "\(answer.json)")
            let id = try #require(answer.json["request_id"]?.stringValue)
            let documents = try await stage.send("GET", "/request/\(id)").json["documents"]?.arrayValue
            #expect(documents?.count == 120)
        }
    }
}
