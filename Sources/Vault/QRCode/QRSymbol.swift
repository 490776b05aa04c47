import CImages
import Encodings
import Foundation
import Secrets

/// A QR code symbol (ISO/IEC 18004) of a text, for display on a screen.
package struct QRSymbol: Sendable {
    /// The width of the light margin in modules, as the standard requires.
    static let margin = 4

    /// The number of modules along one side, without the margin.
    package let size: Int
    private let dark: [Bool]

    /// The share of the symbol that may be unreadable.
    package enum Correction: Sendable {
        /// 7 %. With it, up to some 430 bytes fit on a terminal of 80 columns.
        case low
        /// 15 %, enough for screens.
        case medium
    }

    /// - Throws: `tooLong` if the text has more than 2,331 bytes.
    package init(_ text: Secret, correction: Correction = .medium) throws(QRCodeError) {
        let level = correction == .low ? QR_ECLEVEL_L : QR_ECLEVEL_M
        let code = text.withUnsafeBytes { bytes in
            QRcode_encodeData(Int32(bytes.count), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), 0, level)
        }
        guard let code else {
            throw QRCodeError(.tooLong, "the text has \(text.count) bytes; a QR code holds at most 2,331")
        }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        dark = (0..<size * size).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// Returns whether a module is dark. Modules of the margin are light.
    func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && dark[row * size + column]
    }

    /// The symbol with two modules per character. It sets the colours, so that it scans on dark and light terminals.
    package var terminalText: String {
        let range = -Self.margin..<size + Self.margin
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let line = range.map { column in
                switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
            return "\u{1B}[30;107m\(line)\u{1B}[0m\n"
        }.joined()
    }

    /// Draws the symbol as an SVG element that stands in a page: as wide as its place, with its margin, and without a style of
    /// its own, which a page's policy may forbid.
    ///
    /// - Parameter title: what it is, for a person who does not see it.
    package func svg(title: String) -> String {
        let side = size + 2 * Self.margin
        // The dark modules beside one another are one rectangle: their edges would else show.
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(row: row, column: column) { column += 1 }
                if column > start {
                    path += "M\(start + Self.margin) \(row + Self.margin)h\(column - start)v1h-\(column - start)z"
                }
                column += 1
            }
        }
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\" role=\"img\" "
            + "shape-rendering=\"crispEdges\"><title>\(title.escapedForHTML)</title>"
            + "<path fill=\"#ffffff\" d=\"M0 0h\(side)v\(side)H0z\"/><path fill=\"#000000\" d=\"\(path)\"/></svg>"
    }

    /// Draws the symbol as a PNG picture.
    ///
    /// - Parameter scale: the width of a module in pixels, 1 to 32.
    package func png(scale: Int = 8) throws(QRCodeError) -> [UInt8] {
        try picture(scale: min(max(scale, 1), 32)).png()
    }

    func picture(scale: Int) -> GreyPicture {
        let side = (size + 2 * Self.margin) * scale
        let pixels = (0..<side * side).map { index -> UInt8 in
            let (row, column) = (index / side / scale - Self.margin, index % side / scale - Self.margin)
            return isDark(row: row, column: column) ? 0 : 255
        }
        return GreyPicture(width: side, height: side, pixels: pixels)
    }
}
