import Encodings
import Foundation
import Secrets
import Testing

@testable import Terminal

@Suite("Log lines")
struct CleanLogHandlerTests {
    private static let hostile = [
        "", " ", "a\nb", "\u{0}", "\u{7F}\u{9B}", "\u{202E}abc", "\"quoted\" = x", "\u{2029}", "😀", "{\"a\":1}",
    ]

    @Test("are one per event, in both formats", arguments: hostile, LogFormat.allCases)
    func one(text: String, format: LogFormat) throws {
        let handler = CleanLogHandler(label: "test", format: format)
        let line = handler.line(.info, "message \(text)", ["key": text], at: Date())
        #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(!line.contains { $0.isNewline })
        if format == .json { #expect(try JSONReader.read(line)["level"] == "info") }
    }

    @Test("hold no live secret, in any spelling", arguments: LogFormat.allCases)
    func secrets(format: LogFormat) {
        let secret = Secret("a \"secret\" with\\marks")
        let line = CleanLogHandler(label: "test", format: format).line(
            .info, "x \(secret.revealed())", ["a": secret.revealed()], at: Date())
        #expect(!line.contains("secret"), "\(line)")
    }
}
