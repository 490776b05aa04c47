import HTTPTypes
import Hummingbird
import NIOCore
import Secrets
import Testing

@testable import WebServing

@Suite("A posted form") struct PostedFormTests {
    private func form(_ text: String, as type: String? = "application/x-www-form-urlencoded", upTo limit: Int = 1_000)
        async throws -> PostedForm?
    {
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        head.headerFields[.contentType] = type
        return try await PostedForm(
            Request(head: head, body: .init(buffer: ByteBuffer(string: text))), upTo: limit)
    }

    @Test(
        "fields are decoded",
        arguments: [
            ("a=b", "a", "b"), ("a=b+c", "a", "b c"), ("a=b%2Bc", "a", "b+c"), ("a=b%26c=d", "a", "b&c=d"),
            ("a=b=c", "a", "b=c"), ("a", "a", ""), ("a=", "a", ""), ("a%20b=c", "a b", "c"), ("a=%C3%A9", "a", "é"),
            ("a=first&a=second", "a", "first"), ("&&a=b&&", "a", "b"), ("a=%", "a", ""), ("a=%FF", "a", ""),
        ])
    func decoded(text: String, name: String, value: String) async throws {
        #expect(try #require(try await form(text))[name] == value)
    }

    @Test("a field that was not sent is nil, and an empty secret")
    func absent() async throws {
        let sent = try #require(try await form("passphrase=seventeen+wide+oaks"))
        #expect(sent["password"] == nil)
        #expect(sent.secret("password").isEmpty)
        #expect(sent.secret("passphrase").revealed() == "seventeen wide oaks")
    }

    @Test("a checkbox is on as browsers send it, and off when they send nothing")
    func checkbox() async throws {
        let sent = try #require(try await form("news=on&sound=off"))
        #expect(sent.isOn("news") && !sent.isOn("sound") && !sent.isOn("other"))
    }

    @Test("a body of another type is refused", arguments: ["application/json", "multipart/form-data; boundary=x", nil])
    func otherType(type: String?) async throws {
        #expect(try await form("a=b", as: type) == nil)
    }

    @Test("a body above the limit is refused")
    func tooLong() async throws {
        #expect(try await form("a=234567890", upTo: 11)?["a"] == "234567890")
        await #expect(throws: NIOTooManyBytesError.self) { try await form("a=2345678901", upTo: 11) }
    }
}
