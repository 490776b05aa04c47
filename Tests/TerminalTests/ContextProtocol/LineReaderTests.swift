import Foundation
import Terminal
import Testing

@Suite("Lines of input")
struct LineReaderTests {
    @Test("arrive one by one, also the last one without a line feed")
    func lines() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let text = "one\n\ntwo\nthree"
        #expect(write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        var lines: [String] = []
        for await line in LineReader(ends[0]) { lines.append(String(decoding: line, as: UTF8.self)) }
        close(ends[0])
        #expect(lines == ["one", "", "two", "three"])
    }
}
