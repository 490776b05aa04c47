import Testing

@testable import KeyVault

@Suite("A generated passphrase")
struct GeneratedPassphraseTests {
    @Test("has five groups of four, of characters that look like no others")
    func form() {
        var seen: Set<Character> = []
        var all: Set<String> = []
        for _ in 0..<400 {
            let text = Vault.generatedPassphrase().revealed()
            #expect(text.wholeMatch(of: /([a-hjkmnp-z2-9]{4}-){4}[a-hjkmnp-z2-9]{4}/) != nil)
            seen.formUnion(text)
            all.insert(text)
        }
        #expect(all.count == 400)
        // 8,000 characters leave out one of the 31 with a probability of 1 in 10 to the 112.
        #expect(seen == Set("abcdefghjkmnpqrstuvwxyz23456789-"))
    }
}
