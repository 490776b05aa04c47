import Automation
import Foundation

/// Flickering bars in a terminal, for a reader that a person holds to them.
struct FlickeringBars {
    private let frames: [String]

    /// The lines of a bar.
    private static let height = 5

    init(_ picture: FlickerPicture) {
        frames = picture.frames.map { frame in
            Array(repeating: "  " + FlickerPicture.line(frame), count: Self.height).joined(separator: "\n") + "\n"
        }
    }

    /// Draws frame after frame in one place until Enter is pressed, and removes the bars.
    ///
    /// - Returns: the line that was typed; nil at the end of the input, or when the question is withdrawn.
    func show(unless withdrawal: Withdrawal) -> String? {
        // The cursor is hidden meanwhile: it would be a bar of its own.
        Self.write("\u{1B}[?25l")
        defer { Self.write("\u{1B}[J\u{1B}[?25h") }
        while true {
            for frame in frames {
                Self.write(frame)
                let isTyped = withdrawal.waitForLine(within: FlickerPicture.time)
                Self.write("\u{1B}[\(Self.height)A\r")
                if let isTyped { return isTyped ? readLine(strippingNewline: true) : nil }
            }
        }
    }

    private static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
