import Synchronization
import Testing

@testable import Terminal

@Suite("What a command prints")
struct ConsoleTests {
    private func printed(_ body: (Console) -> Void) -> String {
        let text = Mutex("")
        body(Console { piece in text.withLock { $0 += piece } })
        return text.withLock { $0 }
    }

    @Test("is one line, whatever the text holds")
    func line() {
        #expect(printed { $0.line("a\u{1B}b", .bold) } == "a\\u001bb\n")
        #expect(printed { $0.line("a bank's words\nAccepted: all") } == "a bank's words\\u000aAccepted: all\n")
        #expect(printed { $0.line() } == "\n")
    }

    @Test("has several lines only on purpose, and each is escaped")
    func lines() {
        #expect(printed { $0.lines("{\n  \"a\u{202E}\" : 1\n}") } == "{\n  \"a\\u202e\" : 1\n}\n")
        #expect(printed { $0.lines("one") } == "one\n")
        #expect(printed { $0.lines("\none\r\n") } == "\none\\u000d\n\n")
    }
}
