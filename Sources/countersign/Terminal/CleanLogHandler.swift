import Foundation
import Logging
import Secrets

/// Writes one line an event to stderr, whatever is in it: control characters escaped, secrets taken out.
struct CleanLogHandler: LogHandler {
    let label: String
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    init(label: String) {
        self.label = label
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let details = all.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.oneLine("\($0.value)"))" }.joined()
        let stamp = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let line = "\(stamp) \(event.level) \(Self.oneLine("\(event.message)", quoted: false))\(details)\n"
        FileHandle.standardError.write(Data(Redactor.redact(line).utf8))
    }

    private static func oneLine(_ text: String, quoted: Bool = true) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
                ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
        return quoted && escaped.contains(" ") ? "\"\(escaped.replacing("\"", with: "\\\""))\"" : escaped
    }
}
