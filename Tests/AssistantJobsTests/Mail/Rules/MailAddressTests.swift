import Testing

@testable import AssistantJobs

@Suite("Addresses of mail") struct MailAddressTests {
    static let addresses: [(String, String?)] = [
        ("ann@x.example", "ann@x.example"), ("Ann <Ann@X.example>", "ann@x.example"),
        ("\"boss@bank.example\" <evil@y.example>", "evil@y.example"),
        ("boss@bank.example <evil@y.example>", "evil@y.example"), ("<a@b.example>", "a@b.example"),
        ("grün@müll.example", "grün@müll.example"), ("ann", nil), ("", nil), ("a@b@c", nil), ("@x.example", nil),
        ("ann@", nil), ("a b@x.example, c@y.example", nil), ("Ann <a@x.example> (evil@y.example)", "a@x.example"),
        ("a@x.example>", nil), ("a@x\0y", nil),
    ]

    @Test("an address is what stands in the last angle brackets", arguments: addresses)
    func address(_ text: String, _ address: String?) {
        #expect(MailAddress(text)?.description == address)
    }

    @Test("a list of recipients has commas in quotes")
    func list() {
        let list = MailAddress.list("\"Doe, Ann\" <ann@x.example>, bo@y.example,, no address, C <c@z.example>")
        #expect(list.map(\.description) == ["ann@x.example", "bo@y.example", "c@z.example"])
        #expect(MailAddress.list("").isEmpty)
    }
}
