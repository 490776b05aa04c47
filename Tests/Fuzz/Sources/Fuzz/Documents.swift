import Foundation

@testable import FileKinds
@testable import Markup
@testable import Messages

/// Checks a file as each kind, alone and inside an archive, and reads the text of what is accepted.
func fuzzDocument(_ input: [UInt8]) {
    let found = try? FileCheck.check(input)
    for kind in FileKind.allCases {
        do throws(FileRefusal) {
            let checked = try FileCheck.check(input, as: kind)
            promise(checked.kind == kind, "a file that is checked as a kind has it")
            promise(found?.kind == kind, "a file has one kind, and it is found without being expected")
            promise(found?.sha256 == checked.sha256, "a file is always judged in the same way")
        } catch {
            promise(!error.message.isEmpty, "a refusal says why")
            promise(found?.kind != kind, "what is found is also accepted when it is expected: \(error)")
        }
    }
    if let found { checkText(of: found) }
    checkPacked(input, found)
    if let archive = try? PackedDocuments(input) {
        for name in archive.names {
            promise(!name.hasPrefix("/") && !name.split(separator: "/").contains(".."), "no name leads out: \(name)")
            _ = try? archive.document(named: name)
        }
    }
}

private func checkText(of checked: CheckedFile) {
    if checked.kind == .html { checkCleanPage(checked.bytes) }
    let text: String
    let start: String
    do {
        text = try FileText.text(of: checked.bytes, checked.kind)
        start = try FileText.text(of: checked.bytes, checked.kind, atMost: 100)
    } catch {
        fatalError("broken: a file that was checked has a text: \(error)")
    }
    guard [.csv, .mt940, .qif, .html].contains(checked.kind) else { return }
    promise(start.utf8.count <= 100, "a text keeps to its limit")
    promise(text.utf8.starts(with: start.utf8), "a shorter text is the beginning of a longer one: \(start)")
}

/// Reads a cleaned page with the parser that browsers agree with.
private func checkCleanPage(_ bytes: [UInt8]) {
    guard let page = try? Document.parse(bytes, contentType: "text/html"), let root = page.root else {
        fatalError("broken: a cleaned page is a page")
    }
    let active: Set<String> = [
        "script", "iframe", "frame", "object", "embed", "form", "input", "button", "base", "link", "svg", "math",
        "template", "a", "area", "audio", "video", "source",
    ]
    for element in root.descendants {
        promise(!active.contains(element.name), "a cleaned page has no \(element.name)")
        for attribute in element.attributes {
            let name = attribute.name.lowercased()
            promise(!name.hasPrefix("on") && name != "href" && name != "srcset", "nor the attribute \(name)")
            promise(name != "src" || attribute.value.hasPrefix("data:image/"), "nor a link: \(attribute.value)")
        }
    }
    promise((try? FileCheck.check(bytes, as: .html)) != nil, "a cleaned page is accepted again")
}

/// Packs the input into an archive of one stored file: the archive's reader must judge it as the file alone.
private func checkPacked(_ input: [UInt8], _ found: CheckedFile?) {
    let name = "statements/november.bin"
    let archive = storedArchive(of: input, named: name)
    guard let read = try? PackedDocuments(archive) else {
        fatalError("broken: an archive of one file is read")
    }
    promise(read.names == [name], "an archive has its file")
    let packed = try? read.document(named: name)
    if found?.kind == .zip {
        promise(packed == nil, "an archive inside another is refused")
    } else {
        promise(packed?.kind == found?.kind && packed?.bytes == found?.bytes, "a packed file is judged as the file")
    }
}

/// Writes a ZIP archive with one entry that is not deflated (PKWARE APPNOTE 6.3.10).
private func storedArchive(of content: [UInt8], named name: String) -> [UInt8] {
    func two(_ number: Int) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)] }
    func four(_ number: Int) -> [UInt8] { two(number & 0xFFFF) + two(number >> 16) }
    let sizes = four(Int(checksum(content))) + four(content.count) + four(content.count)
    let local = [0x50, 0x4B, 3, 4] + two(20) + two(0) + two(0) + four(0) + sizes + two(name.utf8.count) + two(0)
    let entry =
        [0x50, 0x4B, 1, 2] + two(20) + two(20) + two(0) + two(0) + four(0) + sizes + two(name.utf8.count) + two(0)
        + two(0) + two(0) + two(0) + four(0) + four(0) + name.utf8
    let start = local + Array(name.utf8) + content
    let end = [0x50, 0x4B, 5, 6] + two(0) + two(0) + two(1) + two(1) + four(entry.count) + four(start.count) + two(0)
    return start + entry + end
}

/// CRC-32 (ISO 3309), bit by bit.
private func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
}
