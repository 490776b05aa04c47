import Testing

@testable import FileKinds

@Suite("Text in the encodings of Europe's banks")
struct TextDecodingTests {
    /// Returns the text's bytes in a code page.
    private func bytes(_ text: String, _ page: CodePage) throws -> [UInt8] {
        let upper = page.upperHalf
        return try text.unicodeScalars.map { scalar in
            if scalar.value < 0x80 { return UInt8(scalar.value) }
            return UInt8(0x80 + (try #require(upper.firstIndex(of: scalar), "\(scalar)")))
        }
    }

    @Test("has as many characters in each page as bytes", arguments: CodePage.allCases)
    func tables(page: CodePage) throws {
        #expect(page.upperHalf.count == 128)
        #expect(CodePage(named: page.rawValue.uppercased()) == page)
    }

    @Test(
        "is known by its letters",
        arguments: [
            ("Käthe Müller, Straße 5, 3 €", CodePage.windows1252), ("Café à Besançon", .windows1252),
            ("Käthe Müller aß Brötchen", .ibm850), ("Příliš žluťoučký kůň", .windows1250),
            ("Zażółć gęślą jaźń", .windows1250), ("Příliš žluťoučký kůň", .ibm852),
            ("Магазин «Продукты»", .windows1251),
            ("Мир", .windows1251), ("Магазин Продукты", .ibm866), ("Магазин Продукты", .koi8r),
            ("Żółw i łódź, gęś", .latin2), ("Ąžuolas ėjo į šalį", .windows1257), ("Καλημέρα κόσμε", .windows1253),
        ])
    func guesses(text: String, page: CodePage) throws {
        let seen = try TextDecoding.decoded(try bytes("Date;Text\n1;\(text)\n", page))
        #expect(seen.text.contains(text), "\(seen.text)")
        #expect((seen.note == nil) == (page == .windows1252), "\(seen.note ?? "")")
    }

    @Test(
        "is guessed with a word where another page fits, too, and by the countries of its accounts and currencies",
        arguments: [
            ("Księgarnia Miesięczny", "PLN", CodePage.windows1250, true), ("Fizetés erőfőt", "HUF", .windows1250, true),
            ("účet práce", "CZ6508000000192000145399", .windows1250, true),
            ("İstanbul Şişli", "TRY", .windows1254, true),
            ("Fête à la crêpe", "FR7630006000011234567890189", .windows1252, false),
            ("España", "", .windows1252, true),
        ])
    func countries(text: String, evidence: String, page: CodePage, isSaid: Bool) throws {
        let seen = try TextDecoding.decoded(try bytes("Date;Text;\(evidence)\n1;\(text)\n", page))
        #expect(seen.text.contains(text), "\(seen.text)")
        #expect((seen.note != nil) == isSaid, "\(seen.note ?? "")")
    }

    @Test("is UTF-8 although a character is cut off, and the line is named")
    func cut() throws {
        let bytes = Array("Date;Text\n1;Müller und S".utf8) + [0xC3, 0x0A]
        let seen = try TextDecoding.decoded(bytes)
        #expect(seen.text == "Date;Text\n1;Müller und S\u{FFFD}\n")
        #expect(seen.note?.hasPrefix("line 2: ") == true, "\(seen.note ?? "")")
    }

    @Test("is in the page that OFX's header or an XML declaration states")
    func stated() throws {
        let ofx = PlainFormatTests.ofx.replacing("DATA:OFXSGML", with: "DATA:OFXSGML\nCHARSET:1251")
            .replacing("A &amp; B & C", with: "Магазин")
        #expect(try TransactionFile.read(bytes(ofx, .windows1251))[0].transactions[0].counterparty == "Магазин")
        let camt = CAMTReaderTests.statement.replacing("\"UTF-8\"", with: "\"windows-1252\"")
        #expect(
            try TransactionFile.read(bytes(camt, .windows1252))[0].transactions[0].counterparty == "Bäckerei & Söhne")
    }

    @Test("is UTF-16 where every second byte of it is zero, with a mark and without")
    func utf16() throws {
        let text = "Date\tAmount\n03.03.2025\t-12,50\n"
        let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
            #expect(try TextDecoding.text(bytes) == text)
        }
    }

    @Test("may have zero bytes at its end, and nowhere else")
    func padding() throws {
        #expect(try TextDecoding.text(Array("abc defg\0\0".utf8)) == "abc defg")
        #expect(throws: ReadingError.self) { try TextDecoding.text(Array("abc\0defg".utf8)) }
    }
}
