import TestCases
import Testing

@testable import FileKinds

@Suite("ZIP archives and spreadsheets made to do harm")
struct ZIPEntriesTests {
    private let entry = ZIPBuilder.Entry("a.pdf", Array("content".utf8))

    @Test(
        "names that lead out of the folder are refused",
        arguments: ["../a", "a/../../b", "/etc/passwd", "a\\..\\b", "C:/a", "a//b", "./a", "a\nb", "", ".."])
    func names(_ name: String) throws {
        var bad = entry
        bad.name = Array(name.utf8)
        let refused = try #require(refusal(ZIPBuilder([entry, bad]).bytes, as: .zip))
        #expect(refused.code == .forbidden)
    }

    @Test("a bomb is refused by its announced ratio, before it is unpacked")
    func ratio() throws {
        let zeros = ZIPBuilder.Entry("zeros", [UInt8](repeating: 0, count: 4 << 20))
        let refused = try #require(refusal(ZIPBuilder([zeros]).bytes))
        #expect(refused.code == .tooLarge)
        #expect(refused.message.contains("times its size"))
    }

    @Test("an entry that unpacks to more than it announces is refused")
    func liar() throws {
        var bomb = ZIPBuilder.Entry("zeros", [UInt8](repeating: 0, count: 4 << 20))
        bomb.size = 1000
        #expect(try #require(refusal(ZIPBuilder([bomb]).bytes)).code == .damaged)
    }

    @Test("4 GB announced, and more than the limit in sum, are refused")
    func huge() throws {
        var huge = entry
        huge.size = 0xFFFF_FFFF
        #expect(try #require(refusal(ZIPBuilder([huge]).bytes)).message.contains("4 GB"))
        var large = entry
        large.size = 0xFFFF_FFFE
        #expect(try #require(refusal(ZIPBuilder([large]).bytes)).code == .tooLarge)
    }

    @Test("entries that share bytes are refused")
    func overlapping() throws {
        var inside = entry
        inside.name = Array("b.pdf".utf8)
        inside.place = 0
        let refused = try #require(refusal(ZIPBuilder([entry, inside]).bytes))
        #expect(refused.code == .forbidden)
        #expect(refused.message.contains("inside another"))
    }

    @Test("two names for one entry, two entries of one name, links and encryption are refused")
    func unclear() throws {
        var other = entry
        other.localName = Array("b.exe".utf8)
        var link = entry
        link.mode = 0o120777
        var locked = entry
        locked.flags = 1
        var capital = entry
        capital.name = Array("A.PDF".utf8)
        for builder in [ZIPBuilder([other]), ZIPBuilder([link]), ZIPBuilder([locked]), ZIPBuilder([entry, capital])] {
            #expect(try #require(refusal(builder.bytes)).code == .forbidden)
        }
    }

    @Test("more entries than the limit are refused")
    func many() throws {
        let entries = (0..<10_001).map { ZIPBuilder.Entry("\($0)", []) }
        #expect(try #require(refusal(ZIPBuilder(entries).bytes)).code == .tooLarge)
    }

    @Test("an archive that is cut anywhere, or has one bit changed in its content, is refused")
    func damaged() throws {
        let whole = ZIPBuilder([entry, ZIPBuilder.Entry("b.pdf", Array("more content".utf8))]).bytes
        #expect(refusal(whole) == nil)
        for length in stride(from: 4, to: whole.count, by: 7) {
            #expect(refusal(Array(whole.prefix(length)), as: .zip) != nil, "\(length) bytes")
        }
        var changed = whole
        changed[36] ^= 1
        #expect(refusal(changed, as: .zip) != nil)
    }

    @Test("a spreadsheet with macros, with an entity, or without a part is refused")
    func workbooks() throws {
        let macros = ZIPBuilder.workbook([("xl/vbaProject.bin", "x")])
        #expect(try #require(refusal(macros.bytes)).message.contains("macros"))
        let entity = ZIPBuilder.workbook([
            ("xl/worksheets/sheet1.xml", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>")
        ])
        #expect(try #require(refusal(entity.bytes)).code == .forbidden)
        #expect(try #require(refusal(ZIPBuilder([("xl/workbook.xml", "<a/>")]).bytes)).message.contains("no part"))
    }

    @Test("the texts of a spreadsheet's cells and the names in an archive can be searched")
    func text() throws {
        #expect(try FileText.text(of: ZIPBuilder.workbook().bytes, .xlsx).contains("Premium of the insurance"))
        #expect(try FileText.text(of: ZIPBuilder([("2025/march.pdf", "x")]).bytes, .zip) == "2025/march.pdf")
    }
}
