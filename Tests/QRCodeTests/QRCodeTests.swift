import Encodings
import Foundation
import Machine
import Secrets
import TestSupport
import Testing

@testable import QRCode

private let uri = "otpauth://totp/Meridian%20Savings:robin?secret=JBSWY3DPEHPK3PXP&issuer=Meridian%20Savings"

private func texts(in bytes: [UInt8]) throws -> [String] {
    try QRCodeReader.texts(in: GreyPicture(bytes)).map { $0.revealed() }
}

@Suite("QR codes")
struct QRCodeTests {
    @Test("reads its own codes", arguments: [1, 2, 3, 4, 8, 16])
    func roundTrip(_ scale: Int) throws {
        #expect(try texts(in: QRSymbol(Secret(uri)).png(scale: scale)) == [uri])
    }

    @Test("reads any text", arguments: ["a", "Ümläut 日本 \u{1F3E6}", String(repeating: "x", count: 2000)])
    func anyText(_ text: String) throws {
        #expect(try texts(in: QRSymbol(Secret(text)).png(scale: 4)) == [text])
    }

    @Test("reads light on dark, as in a screenshot of a dark page")
    func inverted() throws {
        let picture = try QRSymbol(Secret(uri)).picture(scale: 6)
        let negative = GreyPicture(
            width: picture.width, height: picture.height, pixels: picture.pixels.map { 255 - $0 })
        #expect(try QRCodeReader.texts(in: negative).map { $0.revealed() } == [uri])
    }

    @Test("finds a code in the middle of a large, grey screenshot")
    func screenshot() throws {
        let code = try QRSymbol(Secret(uri)).picture(scale: 5)
        let (width, height) = (1280, 800)
        var pixels = [UInt8](repeating: 200, count: width * height)
        for row in 0..<code.height {
            for column in 0..<code.width {
                pixels[(row + 200) * width + column + 500] = code.pixels[row * code.width + column]
            }
        }
        let picture = GreyPicture(width: width, height: height, pixels: pixels)
        #expect(try texts(in: picture.png()) == [uri])
    }

    @Test("shows every module and a margin in the terminal")
    func terminal() throws {
        let code = try QRSymbol(Secret(uri))
        let rows = code.terminalText.split(separator: "\n").map { line in
            Array(line.replacing("\u{1B}[30;107m", with: "").replacing("\u{1B}[0m", with: ""))
        }
        #expect(rows.count == (code.size + 2 * QRSymbol.margin + 1) / 2)
        for row in 0..<code.size {
            for column in 0..<code.size {
                let character = rows[(row + QRSymbol.margin) / 2][column + QRSymbol.margin]
                let isUpper = (row + QRSymbol.margin).isMultiple(of: 2)
                let isDark = character == "█" || character == (isUpper ? "▀" : "▄")
                #expect(isDark == code.isDark(row: row, column: column))
            }
        }
    }

    @Test("shows every module and the margin as SVG, with a title that is text, and no style of its own")
    func svg() throws {
        let code = try QRSymbol(Secret(uri), correction: .low)
        let drawing = code.svg(title: "Code of <Ada> & \"Robin\"")
        let side = code.size + 2 * QRSymbol.margin
        #expect(drawing.hasPrefix("<svg ") && drawing.contains("viewBox=\"0 0 \(side) \(side)\""))
        #expect(drawing.contains("shape-rendering=\"crispEdges\"") && !drawing.contains("style"))
        #expect(drawing.contains("<title>Code of &lt;Ada&gt; &amp; &quot;Robin&quot;</title>"))
        let paths = drawing.matches(of: /<path fill="(#[0-9a-f]+)" d="([^"]*)"\/>/)
        try #require(paths.count == 2)
        #expect(paths[0].1 == "#ffffff" && paths[0].2 == "M0 0h\(side)v\(side)H0z", "the margin is light")
        #expect(paths[1].1 == "#000000")
        var dark = Set<[Int]>()
        for run in String(paths[1].2).matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let column = try #require(Int(run.1))
            let row = try #require(Int(run.2))
            let length = try #require(Int(run.3))
            #expect(run.3 == run.4)
            for place in column..<column + length { dark.insert([row, place]) }
        }
        for row in 0..<side {
            for column in 0..<side {
                let isDark = code.isDark(row: row - QRSymbol.margin, column: column - QRSymbol.margin)
                #expect(dark.contains([row, column]) == isDark)
            }
        }
    }

    @Test("refuses a text that does not fit")
    func tooLong() {
        #expect(throws: QRCodeError.self) { try QRSymbol(Secret(String(repeating: "x", count: 3000))) }
        #expect(throws: QRCodeError.self) { try QRSymbol(Secret("")) }
    }

    @Test("refuses a file that is cut short, empty or not a picture")
    func damaged() throws {
        let png = try QRSymbol(Secret(uri)).png()
        for bytes in [[], [1, 2, 3], Array(png.prefix(8)), Array(png.prefix(60)), [0xFF, 0xD8, 0xFF, 0xE0, 0, 0]] {
            let error = #expect(throws: QRCodeError.self) { try texts(in: bytes) }
            #expect(error?.code == .unsupportedPicture)
        }
        let blank = GreyPicture(width: 100, height: 100, pixels: [UInt8](repeating: 255, count: 10_000))
        #expect(throws: QRCodeError.self) { try QRCodeReader.texts(in: blank) }
    }

    @Test("does not decode a picture that claims a billion pixels")
    func bomb() throws {
        var png = try QRSymbol(Secret(uri)).png()
        // Sets width and height in IHDR to 60,000 each, with a matching checksum.
        png.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
        png.replaceSubrange(29..<33, with: checksum(png[12..<29]))
        let error = #expect(throws: QRCodeError.self) { try texts(in: png) }
        #expect(error?.code == .tooLarge)
    }

    @Test("reports a missing file")
    func missing() async {
        let error = await #expect(throws: QRCodeError.self) {
            try await QRCodeReader.texts(in: URL(filePath: "/nonexistent/code.png"))
        }
        #expect(error?.code == .unreadable)
    }

    /// Returns the CRC-32 of a PNG chunk.
    private func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let crc = bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return withUnsafeBytes(of: (~crc).bigEndian, Array.init)
    }
}

#if os(Linux)
    @Suite("Pictures read by a confined process", .enabled(if: !Sanitizer.isActive))
    struct PictureTaskTests {
        private static let reader = ConfinedReader(
            for: PictureTask.self, command: ConfinementOfTests.command(PictureTask.self))

        @Test("have the same texts")
        func texts() throws {
            let texts = ["otpauth://totp/a?secret=JBSWY3DPEHPK3PXP", "Grüße", "テスト"]
            // The last is 中文 in Big5.
            for text in texts.map({ Secret($0) }) + [Secret(bytes: [0xA4, 0xA4, 0xA4, 0xE5])] {
                let picture = try QRSymbol(text).png()
                let answer = try Self.reader.perform([:], on: picture)
                #expect(PictureTask.error(answer.facts) == nil)
                // libzbar guesses how the bytes are meant, here and there alike.
                #expect(
                    answer.pieces.map { String(decoding: $0, as: UTF8.self) }
                        == (try QRCodeReader.texts(in: GreyPicture(picture)).map { $0.revealed() }))
            }
        }

        @Test("have one outcome each, also 500 that were damaged")
        func mutated() throws {
            let png = try QRSymbol(Secret(uri)).png(scale: 3)
            var outcomes: [String: Int] = [:]
            for seed in 0..<500 {
                do throws(ConfinedReaderError) {
                    let answer = try Self.reader.perform([:], on: Mutations.mutated(png, seed: UInt64(seed)))
                    outcomes[PictureTask.error(answer.facts).map { "\($0.code)" } ?? "read", default: 0] += 1
                } catch {
                    outcomes[error.description, default: 0] += 1
                }
            }
            #expect(outcomes.values.reduce(0, +) == 500)
            #expect(outcomes.keys.allSatisfy { !$0.contains("confined reader") }, "\(outcomes)")
        }
    }
#endif

/// Compares with `zbarimg` and `qrencode` if they are installed.
@Suite("QR codes compared with zbarimg and qrencode")
struct QRCodePeerTests {
    static func path(_ name: String) -> String? {
        ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func run(_ program: String, _ arguments: [String]) async throws -> String {
        let outcome = try await ChildProcess.run(URL(filePath: program), arguments)
        return String(decoding: outcome.output, as: UTF8.self)
    }

    @Test("the process without rights that has no libzbar says so, and names the package")
    func missing() {
        let words = QRCodeReader.missingLibrary(because: "no such file")
        let error = PictureTask.error(["code": "noReader", "message": .string(words)])
        #expect(error?.code == .noReader)
        #expect(error?.message.contains("(no such file); on Debian: apt install libzbar0") == true)
    }

    private static func withPicture(_ body: (URL) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "code-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file)
    }

    @Test("zbarimg reads our codes", .enabled(if: path("zbarimg") != nil, "zbarimg is not installed"))
    func zbarimg() async throws {
        try await Self.withPicture { file in
            try Data(QRSymbol(Secret(uri)).png()).write(to: file)
            #expect(try await Self.run(Self.path("zbarimg")!, ["--quiet", "--raw", file.path]) == uri + "\n")
        }
    }

    @Test("we read codes by qrencode", .enabled(if: path("qrencode") != nil, "qrencode is not installed"))
    func qrencode() async throws {
        try await Self.withPicture { file in
            _ = try await Self.run(Self.path("qrencode")!, ["--output", file.path, uri])
            #expect(try await QRCodeReader.texts(in: file).map { $0.revealed() } == [uri])
        }
    }

    @Test(
        "we read a JPEG of a code by qrencode",
        .enabled(if: path("qrencode") != nil && path("cjpeg") != nil, "cjpeg is not installed"))
    func jpeg() async throws {
        try await Self.withPicture { file in
            _ = try await Self.run(Self.path("qrencode")!, ["--type", "PNG", "--output", file.path, uri])
            let picture = try GreyPicture(Array(Data(contentsOf: file)))
            let grey = file.appendingPathExtension("pgm")
            let photo = file.appendingPathExtension("jpg")
            defer { for file in [grey, photo] { try? FileManager.default.removeItem(at: file) } }
            try (Data("P5 \(picture.width) \(picture.height) 255\n".utf8) + Data(picture.pixels)).write(to: grey)
            _ = try await Self.run(Self.path("cjpeg")!, ["-quality", "60", "-outfile", photo.path, grey.path])
            #expect(try await QRCodeReader.texts(in: photo).map { $0.revealed() } == [uri])
        }
    }
}
