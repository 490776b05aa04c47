import Encodings
import Testing

@testable import Messages

@Suite("The mark of what a phone has")
struct ChangeMarkTests {
    @Test("is a ticket and a count, and reads back")
    func made() throws {
        let mark = ChangeMark(ticket: "ab12", count: 7)
        #expect(mark.description == "ab12-7")
        let again = try #require(ChangeMark("ab12-7"))
        #expect(again == mark && again.parts?.ticket == "ab12" && again.parts?.count == 7)
    }

    @Test(
        "of another broker may be anything that needs no escape in an address",
        arguments: [
            ("x", true), ("A.z_9-0", true), (String(repeating: "m", count: 64), true),
            (String(repeating: "m", count: 65), false), ("", false), ("a b", false), ("a/b", false), ("ä", false),
            ("a%20", false),
        ])
    func foreign(text: String, isOne: Bool) {
        #expect((ChangeMark(text) != nil) == isOne)
    }

    @Test("without a ticket and a count has no parts", arguments: ["x", "x-", "x-y", "x-1-2", "x--1", "1"])
    func partless(text: String) throws {
        #expect(try #require(ChangeMark(text)).parts == nil)
    }

    @Test("stands in the list of requests, whose other members do without it", arguments: [nil, "x-1", "not a mark"])
    func listed(text: String?) throws {
        var members: [String: JSONValue] = ["requests": []]
        members["mark"] = text.map { .string($0) }
        let list = try #require(PendingList(json: .object(members)))
        #expect(list.mark?.description == (text == "not a mark" ? nil : text))
        #expect(PendingList(json: list.json) == list)
        #expect((list.json["mark"] != nil) == (list.mark != nil))
    }
}
