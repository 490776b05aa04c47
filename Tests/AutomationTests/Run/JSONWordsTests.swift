import Encodings
import Testing

@testable import Automation

@Suite("The message of a JSON answer")
struct JSONWordsTests {
    @Test(
        "is found by the usual names",
        arguments: [
            (#"{"error": {"code": "locked", "message": "Your account is locked."}}"#, "Your account is locked."),
            (#"{"type": "about:blank", "title": "Not found", "detail": "No such statement."}"#, "No such statement."),
            (#"{"error": "invalid_grant", "error_description": "The code has expired."}"#, "The code has expired."),
            (#"{"errors": [{"field": "pin"}, {"text": "Too short."}]}"#, "Too short."),
            (#"{"error": "Please sign in."}"#, "Please sign in."),
            (#"{"error": "invalid_grant"}"#, nil), (#"{"items": []}"#, nil), ("[1, 2]", nil), ("null", nil),
        ] as [(String, String?)])
    func words(json: String, expected: String?) throws {
        #expect(try JSONReader.read(Array(json.utf8)).ownWords == expected)
    }

    @Test("is described by paths with kinds, the most similar first, without values")
    func paths() throws {
        let json = try JSONReader.read(
            Array(
                #"{"state": "ready", "link": {"href": "/secret"}, "items": [{"id": 7}, {"id": 8}], "a-b": true}"#.utf8))
        let paths = json.paths(nearestTo: "$.link.hrf")
        #expect(paths.first == "$.link.href (text)")
        let all = json.paths(nearestTo: "$", atMost: 20)
        #expect(all.contains("$.items (2 items)"))
        #expect(all.contains("$.items[*].id (number)"))
        #expect(all.contains("$['a-b'] (true or false)"))
        #expect(!all.joined().contains("secret"))
    }
}
