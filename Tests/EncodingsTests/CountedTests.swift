import Encodings
import Testing

@Suite("A number with its noun")
struct CountedTests {
    @Test("is in the singular for one alone")
    func nouns() {
        #expect([0, 1, 2].map { $0.counted("script") } == ["0 scripts", "1 script", "2 scripts"])
        #expect([0, 1, 2].map { $0.counted("entry", "entries") } == ["0 entries", "1 entry", "2 entries"])
    }
}
