import Encodings
import Testing

@testable import Markup

@Suite("Text in pieces")
struct TextRunTests {
    private static let page = Array("one two three".utf8)

    /// A piece of the page, by its range, or a text from elsewhere.
    enum Piece {
        case here(Range<Int>)
        case elsewhere(String)
    }

    @Test(
        "is the concatenation of the pieces",
        arguments: [
            ([], ""), ([.here(0..<3)], "one"), ([.here(0..<3), .here(3..<7)], "one two"),
            ([.here(0..<3), .here(4..<7)], "onetwo"), ([.here(4..<7), .here(0..<3)], "twoone"),
            ([.here(0..<4), .elsewhere("&"), .here(4..<7)], "one &two"), ([.elsewhere("é"), .here(0..<3)], "éone"),
            ([.here(0..<0), .elsewhere(""), .here(8..<13)], "three"),
            ([.here(0..<13), .here(0..<13)], "one two threeone two three"),
        ] as [([Piece], String)])
    func pieces(_ pieces: [Piece], text: String) {
        Self.page.withUnsafeBufferPointer { page in
            var run = TextRun(in: page)
            // The second round begins after `removeAll`.
            for _ in 0..<2 {
                for piece in pieces {
                    switch piece {
                    case .here(let range): run.append(Bytes(rebasing: page[range]))
                    case .elsewhere(let text): Array(text.utf8).withUnsafeBufferPointer { run.append($0) }
                    }
                }
                #expect(run.withBytes { String(decoding: $0, as: UTF8.self) } == text)
                run.removeAll()
                #expect(run.withBytes { $0.isEmpty })
            }
        }
    }
}
