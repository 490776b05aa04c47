import Testing
import WebURL

@testable import HTMLEngine

struct EgressPolicyTests {
    let policy: EgressPolicy

    init() throws {
        policy = EgressPolicy(origins: [
            try Origin(parsing: "https://bank.example"), try Origin(parsing: "https://files.bank.example:8443"),
        ])
    }

    @Test(
        "allows the named origins in each of their spellings",
        arguments: [
            "https://bank.example/", "https://bank.example:443/login?x=1", "HTTPS://BANK.EXAMPLE",
            "https:\\\\bank.example\\x",
            "https://bank%2Eexample/", "https://ｂａｎｋ.example/", "https://files.bank.example:8443/a.pdf",
        ])
    func allowed(text: String) throws {
        try policy.check(URLRecord(parsing: text))
    }

    @Test(
        "refuses everything else",
        arguments: [
            ("https://evil.example/", EgressError.Code.origin), ("https://bank.example.evil.example/", .origin),
            ("https://evil-bank.example/", .origin), ("https://xbank.example/", .origin),
            ("https://sub.bank.example/", .origin), ("https://bank.example./", .origin),
            ("https://bank.example:8443/", .origin), ("https://files.bank.example/", .origin),
            ("https://evil.example/https://bank.example/", .origin), ("https://evil.example?bank.example", .origin),
            ("https://evil.example#@bank.example", .origin), ("https://bänk.example/", .origin),
            ("https://bank.example@evil.example/", .userinfo), ("https://me:pw@bank.example/", .userinfo),
            ("https://me@bank.example/", .userinfo),
            ("http://bank.example/", .plainHTTP), ("http://bank.example:443/", .plainHTTP),
            ("http://localhost/", .loopbackHTTP), ("http://127.0.0.1/", .loopbackHTTP),
            ("http://[::1]/", .loopbackHTTP),
            ("http://2130706433/", .loopbackHTTP), ("http://0x7f.1/", .loopbackHTTP), ("https://127.0.0.1/", .origin),
            ("https://2130706433/", .origin), ("https://[::1]/", .origin), ("https://[::ffff:7f00:1]/", .origin),
            ("file:///etc/passwd", .scheme), ("ftp://bank.example/", .scheme), ("data:text/html,x", .scheme),
            ("javascript:alert(1)", .scheme), ("ws://bank.example/", .scheme), ("blob:https://bank.example/1", .scheme),
            ("about:blank", .scheme), ("x://bank.example/", .scheme),
        ])
    func refused(text: String, code: EgressError.Code) throws {
        let url = try URLRecord(parsing: text)
        let error = #expect(throws: EgressError.self) { try policy.check(url) }
        #expect(error?.code == code)
    }

    @Test(
        "allows plain http for testing, to this machine in any spelling and to no other",
        arguments: [
            ("http://127.0.0.1:8080/", true), ("http://2130706433:8080/", true), ("http://0x7f.0.0.1:8080/", true),
            ("http://127.0.0.1:8081/", false), ("http://127.0.0.2:8080/", false), ("http://localhost:8080/", false),
            ("http://localhost.evil.example:8080/", false), ("http://[::1]:8080/", false),
            ("http://bank.example/", false),
            ("http://127.0.0.1.evil.example:8080/", false),
        ])
    func testing(text: String, isAllowed: Bool) throws {
        let origins = [try Origin(parsing: "http://127.0.0.1:8080"), try Origin(parsing: "http://bank.example")]
        let policy = EgressPolicy(origins: origins, allowsLoopbackHTTP: true)
        let url = try URLRecord(parsing: text)
        if isAllowed {
            try policy.check(url)
        } else {
            #expect(throws: EgressError.self) { try policy.check(url) }
        }
    }

    @Test("names the requested origin, the allowed ones and what to add, but no path, query or userinfo")
    func message() throws {
        let url = try URLRecord(parsing: "https://evil.example/path?token=1")
        let error = #expect(throws: EgressError.self) { try policy.check(url) }
        let text = try #require(error).description
        #expect(text.contains("add https://evil.example to the script's origins"))
        #expect(text.contains("https://bank.example, https://files.bank.example:8443"))
        #expect(!text.contains("token"))
        let script = try URLRecord(parsing: "javascript:alert(1)")
        let schemeless = #expect(throws: EgressError.self) { try policy.check(script) }
        #expect(schemeless?.asked == "javascript:")
        let secretive = try URLRecord(parsing: "https://me:pw@bank.example/")
        let refusal = #expect(throws: EgressError.self) { try policy.check(secretive) }
        #expect(refusal?.description.contains("pw@") == false)
    }

    @Test("of a script without origins allows none, and says so")
    func noOrigins() throws {
        let url = try URLRecord(parsing: "https://bank.example/")
        let error = #expect(throws: EgressError.self) { try EgressPolicy(origins: []).check(url) }
        #expect(error?.code == .origin && error?.allowed == [] && error?.asked == "https://bank.example")
        #expect(error?.description.contains("the script names other origins (none)") == true)
    }
}
