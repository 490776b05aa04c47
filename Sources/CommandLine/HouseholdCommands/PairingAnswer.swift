import Encodings
import Foundation

/// The line with which a program answers, in place of a person at the terminal, whether a device shows the same words.
enum PairingAnswer {
    /// - Parameter line: `yes` or `y`, or JSON with a member `same_words`; nil for the end of the input. Every other line means no,
    ///   because a device that is let in by mistake can approve requests.
    static func agrees(_ line: String?) -> Bool {
        guard let text = line?.trimmingCharacters(in: .whitespacesAndNewlines) else { return false }
        if text.hasPrefix("{") { return (try? JSONReader.read(text))?["same_words"] == true }
        return ["y", "yes"].contains(text.lowercased())
    }
}
