import Foundation
import Testing

@testable import Secrets

@Suite("Taking secrets out of texts")
struct RedactorTests {
    @Test(
        "in every spelling that a web session gives them",
        arguments: [
            "pä ss&wörd/+1", "pä%20ss", "p%C3%A4%20ss%26w%C3%B6rd%2F%2B1", "p%C3%A4+ss%26w%C3%B6rd%2F%2B1",
            "p%c3%a4%20ss%26w%c3%b6rd%2f%2b1", "pä ss&amp;wörd/+1", #"pä ss&wörd\/+1"#,
            Data("pä ss&wörd/+1".utf8).base64EncodedString(),
            Data("pä ss&wörd/+1".utf8).map { String(format: "%02x", $0) }.joined(),
        ])
    func spellings(_ spelling: String) {
        let redacted = Redactor.redact("before \(spelling) after", of: ["pä ss&wörd/+1", "pä%20ss"])
        #expect(redacted == "before ••• after")
    }

    @Test(
        "as what follows from it alone",
        arguments: [
            // printf 'Zy9!canary-pass' | md5sum, sha1sum, sha256sum, sha512sum; | base64; | rev
            "982fbcbc6741811cd370df074d3b5e88", "453c8d2e5690e4e89d8d411dd2ee6bb28e542ca5",
            "f92c06d850014b53884fd5cf029bcffcef3205ad04d9c5927d73a275178db9c1",
            "519f77bd587319da5b07264c9d0f148be969c1b1d770616f3883f0b2e8cc3b4b48d58fcb9cab8f763a140d55e34fadaf37f3bd33f9677698496b625b27c190e8",
            "F92C06D850014B53884FD5CF029BCFFCEF3205AD04D9C5927D73A275178DB9C1",
            "+SwG2FABS1OIT9XPApvP/O8yBa0E2cWSfXOidReNucE=", "Wnk5IWNhbmFyeS1wYXNz",
            "ssap-yranac!9yZ", "zy9!canary-pass", "ZY9!CANARY-PASS",
        ])
    func derivations(_ derived: String) {
        #expect(Redactor.redact("before \(derived) after", of: ["Zy9!canary-pass"]) == "before ••• after")
    }

    @Test("its reverse and its other case are taken out as words of their own alone")
    func rearranged() {
        #expect(Redactor.redact("resu, the result of Users: USER", of: ["user"]) == "•••, the result of Users: •••")
    }

    @Test(
        "with all of an identifier that they are a part of",
        arguments: [
            ("request 8d2c1f4e-1234-4a6b-9c0d-5e6f7a8b9c0d went", "request ••• went"),
            ("8D2C1F4E12344A6B9C0D5E6F7A8B9C0D", "•••"),
            ("/documents/8d2c1f4e-5e6f-4a6b-9c0d-12341234abcd.pdf", "/documents/•••.pdf"),
            ("account 99123499, code 1234", "account 99•••99, code •••"),
            ("8d2c1f4e-9999-4a6b-9c0d-5e6f7a8b9c0d", "8d2c1f4e-9999-4a6b-9c0d-5e6f7a8b9c0d"),
        ])
    func identifiers(_ text: String, _ expected: String) {
        #expect(Redactor.redact(text, of: ["1234"]) == expected)
    }

    @Test("a secret is the source of its digests, and of nothing else")
    func source() {
        let secret = Secret("Zy9!canary-pass")
        for text in ["x Wnk5IWNhbmFyeS1wYXNz y", "md5=982fbcbc6741811cd370df074d3b5e88", "Zy9!canary-pass"] {
            #expect(secret.isSource(of: text), "\(text)")
        }
        #expect(!secret.isSource(of: "canary-pass Zy9"))
        #expect(!secret.isSource(of: "Zy9!canary-pass", countsPlain: false))
        #expect(secret.isSource(of: "982fbcbc6741811cd370df074d3b5e88", countsPlain: false))
    }

    @Test("as a script's encodeURIComponent spells it")
    func component() {
        #expect(Redactor.redact("q=a'b(1)%26%2F!", of: ["a'b(1)&/!"]) == "q=•••")
    }

    @Test(
        "as programs that write HTML and JSON escape it",
        arguments: [
            // As Python's html.escape, PHP's htmlspecialchars, Go's html/template, Jinja, Handlebars and Mustache write it.
            "a&lt;b&gt;&amp;&quot;c&#x27;+ä/=`", "a&lt;b&gt;&amp;&quot;c&#039;+ä/=`",
            "a&lt;b&gt;&amp;&#34;c&#39;&#43;ä/=`",
            "a&lt;b&gt;&amp;&#34;c&#39;+ä/=`", "a&lt;b&gt;&amp;&quot;c&#x27;+ä/&#x3D;&#x60;",
            "a&lt;b&gt;&amp;&quot;c&#39;+ä&#x2F;&#x3D;&#x60;",
            // As JavaScript's JSON.stringify, Python's json.dumps, PHP's json_encode, Go's json.Marshal and .NET write it.
            #"a<b>&\"c'+ä/=`"#, #"a<b>&\"c'+\u00e4/=`"#, #"a<b>&\"c'+\u00e4\/=`"#,
            #"a\u003cb\u003e\u0026\"c'+ä/=`"#, #"a\u003Cb\u003E\u0026\u0022c\u0027\u002B\u00E4/=\u0060"#,
        ])
    func escaped(_ spelling: String) {
        #expect(Redactor.redact("before \(spelling) after", of: ["a<b>&\"c'+ä/=`"]) == "before ••• after")
    }

    @Test("with a line's end and a character of two UTF-16 units, as JSON escapes them")
    func jsonUnits() {
        let redacted = Redactor.redact(#"x\n\ud83d\ude00y x\n\uD83D\uDE00y"#, of: ["x\n\u{1F600}y"])
        #expect(redacted == "••• •••")
    }

    @Test("the mask, which a replay has in the place of a secret, hides no text and is itself left as it is")
    func mask() {
        #expect(Redactor.redact("•••, %E2%80%A2%E2%80%A2%E2%80%A2", of: ["•••"]) == "•••, %E2%80%A2%E2%80%A2%E2%80%A2")
    }

    @Test("a short one is taken out as a word of its own alone")
    func short() {
        #expect(Redactor.redact("the 42 of 1942 and 42.", of: ["42"]) == "the ••• of 1942 and •••.")
    }

    @Test(
        "where a combining mark makes another character of its end",
        arguments: ["a quiet harbour", "pä ss&wörd/+1", "pässwörter"], ["\u{301}", "\u{200D}x", "\u{FE0F}"])
    func combining(secret: String, mark: String) {
        #expect(Redactor.redact("\(secret)\(mark).", of: [secret]).utf8.elementsEqual("•••\(mark).".utf8))
        let encoded = Data(secret.utf8).base64EncodedString()
        #expect(Redactor.redact("\(encoded)\(mark).", of: [secret]).utf8.elementsEqual("•••\(mark).".utf8))
    }

    @Test("also the second half of a character", arguments: ["\u{301}quiet harbour", "\nquiet harbour"])
    func split(secret: String) {
        for before in ["e", "\r"] {
            let redacted = Redactor.redact(before + secret, of: [secret])
            #expect(redacted.unicodeScalars.elementsEqual("\(before)•••".unicodeScalars))
        }
    }

    @Test("with its accents composed, and with them apart")
    func normalised() {
        let forms = ["p\u{E4}ssw\u{F6}rter", "pa\u{308}sswo\u{308}rter"]
        for secret in forms {
            for text in forms { #expect(Redactor.redact("= \(text) =", of: [secret]) == "= ••• =") }
            #expect(Redactor.redact("p%C3%A4ssw%C3%B6rter pa%CC%88sswo%CC%88rter", of: [secret]) == "••• •••")
        }
    }

    @Test("a short one beside a mark, but not within a word of any script")
    func shortWords() {
        #expect(Redactor.redact("42\u{301} é42 42é 42١ Ⅳ42 (42)", of: ["42"]) == "•••\u{301} é42 42é 42١ Ⅳ42 (•••)")
    }

    @Test("a binary key, in hexadecimal and base64")
    func key() {
        let key = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
        let hex = key.map { String(format: "%02x", $0) }.joined()
        #expect(String(validating: key, as: UTF8.self) == nil)
        let secret = Secret(bytes: key)
        #expect(Redactor.redact("\(hex) \(hex.uppercased()) \(Data(key).base64EncodedString())") == "••• ••• •••")
        withExtendedLifetime(secret) {}
    }

    @Test("a single character stays in a text, where its gaps would say which one it is, and goes as a value")
    func character() {
        let digit = Secret("٣")
        #expect(Redactor.redact("step ٣ of 5") == "step ٣ of 5")
        #expect(Redactor.redactValue("٣") == "•••")
        withExtendedLifetime(digit) {}
    }

    @Test("the longer of two goes first")
    func overlapping() {
        #expect(Redactor.redact("secretive", of: ["secret", "secretive"]) == "•••")
    }

    @Test("a secret is known while it lives, and no longer")
    func lifetime() {
        let text = "canary-\(UUID().uuidString)"
        do {
            let secret = Secret(text)
            #expect(Redactor.redact("a \(text) b") == "a ••• b")
            withExtendedLifetime(secret) {}
        }
        #expect(Redactor.redact("a \(text) b") == "a \(text) b")
        let wiped = Secret(text)
        wiped.wipe()
        #expect(Redactor.redact("a \(text) b") == "a \(text) b")
        #expect(wiped.revealed().isEmpty)
    }

    @Test("reads no secret that is being overwritten meanwhile")
    func concurrent() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for round in 0..<500 {
                        let text = "canary-\(number)-\(round)-\(UUID().uuidString)"
                        let secret = Secret(text)
                        #expect(Redactor.redact("a \(text) b") == "a ••• b")
                        withExtendedLifetime(secret) {}
                    }
                }
            }
        }
    }
}

@Suite struct SecretTests {
    @Test("does not print itself")
    func prints() {
        let secret = Secret("correct horse")
        #expect("\(secret)" == "•••" && String(reflecting: secret) == "•••")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("correct"))
    }

    @Test("compares by its bytes")
    func equality() {
        #expect(Secret("equal-secrets").isEqual(to: Secret(bytes: Array("equal-secrets".utf8))))
        #expect(
            !Secret("equal-secrets").isEqual(to: Secret("equal-secretx"))
                && !Secret("equal-secrets").isEqual(to: Secret("equal-secret")))
        #expect(Secret("").isEmpty && Secret("").isEqual(to: Secret("")))
    }
}
