import Foundation
import Secrets
import Testing

@testable import AttestedKeys

/// AWS's own examples: the "Signature Version 4 Test Suite", and the request of the IAM User Guide.
@Suite("Signature Version 4") struct SignatureV4Tests {
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        var service = "service"
        var method = "GET"
        var host = "example.amazonaws.com"
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = ""
        var token: String?
        let signature: String

        var testDescription: String { name }
    }

    private static let token =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwth"
        + "Ax7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9"
        + "q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="

    static let examples = [
        Example(name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Example(
            name: "post-vanilla", method: "POST",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Example(
            name: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Example(
            name: "get-vanilla-utf8-query", query: [("ሴ", "bar")],
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Example(
            name: "get-header-value-trim", headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Example(
            name: "post-header-key-sort", method: "POST", headers: [("My-Header1", "value1")],
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Example(
            name: "post-x-www-form-urlencoded", method: "POST",
            headers: [("Content-Type", "application/x-www-form-urlencoded")], body: "Param1=value1",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Example(
            name: "post-sts-header-before", method: "POST", token: token,
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
        Example(
            name: "IAM User Guide", service: "iam", host: "iam.amazonaws.com",
            query: [("Action", "ListUsers"), ("Version", "2010-05-08")],
            headers: [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")],
            signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"),
    ]

    @Test("AWS's examples have their signatures", arguments: examples)
    func published(_ example: Example) throws {
        var request = SignatureV4.Request(example.method, host: example.host)
        request.query = example.query
        request.headers = example.headers
        request.body = Array(example.body.utf8)
        let credentials = AmazonCredentials(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            sessionToken: example.token.map { Secret($0) })
        let signed = SignatureV4(region: "us-east-1", service: example.service)
            .headers(for: request, credentials, at: try Date("2015-08-30T12:36:00Z", strategy: .iso8601))
        let headers = Dictionary(uniqueKeysWithValues: signed.map { ($0.name, $0.value.revealed()) })
        #expect(headers["x-amz-date"] == "20150830T123600Z")
        #expect(headers["x-amz-security-token"] == example.token)
        let authorization = try #require(headers["authorization"])
        #expect(
            authorization.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/\(example.service)/aws4_request, "))
        #expect(authorization.hasSuffix("Signature=\(example.signature)"))
    }

    @Test("nothing of a signature is printed by mistake")
    func secrets() {
        let credentials = AmazonCredentials(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: Secret("a secret access key of this test alone, 40 bytes"))
        let signed = SignatureV4(region: "r", service: "s")
            .headers(for: .init("GET", host: "h"), credentials, at: Date(timeIntervalSince1970: 0))
        #expect("\(credentials) \(signed)".contains("secret access key of this test") == false)
        #expect("\(signed)".contains("Signature=") == false)
    }
}
