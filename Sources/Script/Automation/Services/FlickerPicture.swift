/// Five flickering bars that a reader for bank cards looks at (chipTAN optical): a clock, and four bits of each half byte.
///
/// Source: “HHD-Erweiterung für unidirektionale Kopplung” (HHD_UC) 1.4: the half bytes 0, F, F, F begin; of each byte the lower half
/// comes first; the bits of a half byte stand from the lowest to the highest beside the clock, once while it is lit and once while not.
public struct FlickerPicture: Sendable, Hashable {
    /// The half bytes as hexadecimal digits, without those that begin.
    public let code: String
    /// The texts that a person types into a reader which cannot look, in their order. No trace has them.
    public let typed: [String]

    /// The time of one frame: a reader follows up to twenty in a second.
    public static let time: Duration = .milliseconds(50)

    /// - Returns: nil for a text that is not an even number of hexadecimal digits.
    public init?(_ code: String, typed: [String] = []) {
        guard !code.isEmpty, code.count.isMultiple(of: 2), code.count <= 1024, code.allSatisfy(\.isHexDigit) else {
            return nil
        }
        self.code = code
        self.typed = typed
    }

    /// The frames in their order, which begins again after the last: whether each bar is lit, the clock first.
    public var frames: [[Bool]] {
        let digits = code.compactMap(\.hexDigitValue)
        let swapped = stride(from: 0, to: digits.count, by: 2).flatMap { [digits[$0 + 1], digits[$0]] }
        return ([0, 15, 15, 15] + swapped).flatMap { half in
            let bits = (0..<4).map { half >> $0 & 1 == 1 }
            return [[true] + bits, [false] + bits]
        }
    }

    /// A drawing that flickers by itself, without a script (SVG 1.1, section 19.2).
    public var drawing: [UInt8] {
        let frames = frames
        let seconds = Double(frames.count) * 0.05
        let bars = (0..<5).map { bar in
            let lights = frames.map { $0[bar] ? "white" : "black" }.joined(separator: ";")
            return """
                <rect x="\(16 + bar * 52)" y="26" width="32" height="94" fill="black"><animate attributeName="fill" \
                calcMode="discrete" values="\(lights)" dur="\(seconds)s" repeatCount="indefinite"/></rect>
                """
        }
        // The marks show where the reader's own two have to be.
        let marks = """
            <path d="M22 4h20l-10 14zM230 4h20l-10 14z" fill="white"/>
            """
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 272 132" width="272" height="132">\
            <rect width="272" height="132" fill="black"/>
            """
        return Array((head + marks + bars.joined() + "</svg>").utf8)
    }

    /// Returns one frame for a terminal: a line of blocks.
    ///
    /// - Parameter width: the characters of one bar.
    public static func line(_ frame: [Bool], width: Int = 6) -> String {
        frame.map { String(repeating: $0 ? "█" : " ", count: width) }.joined(
            separator: String(repeating: " ", count: 3))
    }
}
