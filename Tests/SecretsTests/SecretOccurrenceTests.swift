import Foundation
import Secrets
import Testing

@Suite("Finding a secret in what a page sends")
struct SecretOccurrenceTests {
    static let sent: [(String, String, Bool)] = [
        ("correct horse", "user=ada&password=correct+horse", true),
        ("correct horse", "user=ada&password=correct%20horse&next=1", true),
        ("a'b(1)&/!", "password=a'b(1)%26%2F!", true),
        (#"a"b\c"#, #"{"password":"a\"b\\c"}"#, true),
        ("correct horse", "data=" + Data("correct horse".utf8).base64EncodedString(), true),
        ("7&1", "code=7%261", true),
        ("123", "code=123", true),
        ("123", "session=41235", false),
        ("horse", "q=seahorses", false),
        ("correct horse", "user=ada", false),
        ("correct horse", "", false),
    ]

    @Test("as a whole word, in the spellings of forms, scripts, JSON and base64", arguments: sent)
    func occurs(_ secret: String, _ text: String, _ expected: Bool) {
        #expect(Secret(secret).occurs(inAnyOf: [[], Array(text.utf8)]) == expected)
    }

    @Test("an empty one is found nowhere")
    func empty() {
        #expect(!Secret("").occurs(inAnyOf: [Array("text".utf8)]))
    }
}
