import ArgumentParser
import Encodings
import Foundation
import Logging
import Secrets

/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable, ExpressibleByArgument {
    case text, json
}

/// Writes each event as one line to stderr, with control characters escaped and secrets removed.
package struct CleanLogHandler: LogHandler {
    package let label: String
    package var format = LogFormat.text
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level = .info

    package init(label: String, format: LogFormat = .text) {
        self.label = label
        self.format = format
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let details = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        let line = line(event.level, "\(event.message)", details, at: Date())
        // A closed pipe or a full disk must not stop the program.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    package func line(_ level: Logger.Level, _ message: String, _ details: [String: String], at time: Date) -> String {
        let stamp = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        // Redact before escaping: an escaped secret would not be recognised.
        let message = Redactor.redact(message)
        let details = details.mapValues { Redactor.redact($0) }
        switch format {
        case .text:
            let pairs = details.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.oneLine($0.value))" }.joined()
            return "\(stamp) \(level) \(Self.oneLine(message, quoted: false))\(pairs)"
        case .json:
            var members = details.mapValues { JSONValue.string(Self.printable($0)) }
            members["time"] = .string(stamp)
            members["level"] = .string(level.rawValue)
            members["message"] = .string(Self.printable(message))
            members["logger"] = .string(label)
            return JSONValue.object(members).compactText()
        }
    }

    private static func oneLine(_ text: String, quoted: Bool = true) -> String {
        let escaped = printable(text)
        return quoted && (escaped.isEmpty || escaped.unicodeScalars.contains { $0 == " " || $0 == "\"" || $0 == "=" })
            ? "\"\(escaped.escaping(["\"": "\\\""]))\"" : escaped
    }

    /// Escapes control characters, line separators and marks that change the writing direction.
    private static func printable(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }
}
