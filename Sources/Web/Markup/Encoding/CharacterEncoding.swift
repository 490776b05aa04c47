import Encodings
import Foundation

/// A character encoding of the Encoding Standard, for decoding pages and encoding forms.
public struct CharacterEncoding: Sendable, Hashable {
    /// The standard's name, such as `windows-1252`.
    public let name: String
    /// The C library's name for it.
    private let converter: String

    public static let utf8 = CharacterEncoding(name: "UTF-8", converter: "UTF-8")
    public static let windows1252 = CharacterEncoding(name: "windows-1252", converter: "CP1252")

    private init(name: String, converter: String) {
        self.name = name
        self.converter = converter
    }

    /// Finds an encoding by one of its labels (Encoding Standard, section 4.2). Returns nil for an unknown label.
    public init?(label: String) {
        let label = label.foldingSpace.lowercased()
        for (name, converter, labels) in Self.table where name.lowercased() == label || labels.contains(label) {
            self.init(name: name, converter: converter)
            return
        }
        return nil
    }

    private static let table: [(String, String, [String])] = [
        ("UTF-8", "UTF-8", ["utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"]),
        (
            "windows-1252", "CP1252",
            [
                "ansi_x3.4-1968", "ascii", "cp1252", "cp819", "csisolatin1", "ibm819", "iso-8859-1", "iso-ir-100",
                "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "l1", "latin1", "us-ascii", "x-cp1252",
            ]
        ),
        ("windows-1250", "CP1250", ["cp1250", "x-cp1250"]),
        ("windows-1251", "CP1251", ["cp1251", "x-cp1251"]),
        ("windows-1253", "CP1253", ["cp1253", "x-cp1253"]),
        (
            "windows-1254", "CP1254",
            ["cp1254", "csisolatin5", "iso-8859-9", "iso8859-9", "iso88599", "iso_8859-9", "l5", "latin5", "x-cp1254"]
        ),
        ("windows-1255", "CP1255", ["cp1255", "x-cp1255"]),
        ("windows-1256", "CP1256", ["cp1256", "x-cp1256"]),
        ("windows-1257", "CP1257", ["cp1257", "x-cp1257"]),
        ("windows-1258", "CP1258", ["cp1258", "x-cp1258"]),
        ("windows-874", "CP874", ["dos-874", "iso-8859-11", "iso8859-11", "iso885911", "tis-620"]),
        ("ISO-8859-2", "ISO-8859-2", ["csisolatin2", "iso8859-2", "iso88592", "iso_8859-2", "l2", "latin2"]),
        ("ISO-8859-3", "ISO-8859-3", ["csisolatin3", "iso8859-3", "iso88593", "iso_8859-3", "l3", "latin3"]),
        ("ISO-8859-4", "ISO-8859-4", ["csisolatin4", "iso8859-4", "iso88594", "iso_8859-4", "l4", "latin4"]),
        ("ISO-8859-5", "ISO-8859-5", ["csisolatincyrillic", "cyrillic", "iso8859-5", "iso88595", "iso_8859-5"]),
        ("ISO-8859-6", "ISO-8859-6", ["arabic", "asmo-708", "iso8859-6", "iso88596", "iso_8859-6"]),
        ("ISO-8859-7", "ISO-8859-7", ["greek", "greek8", "iso8859-7", "iso88597", "iso_8859-7"]),
        ("ISO-8859-8", "ISO-8859-8", ["hebrew", "iso8859-8", "iso88598", "iso_8859-8", "visual"]),
        ("ISO-8859-10", "ISO-8859-10", ["csisolatin6", "iso8859-10", "iso885910", "l6", "latin6"]),
        ("ISO-8859-13", "ISO-8859-13", ["iso8859-13", "iso885913"]),
        ("ISO-8859-14", "ISO-8859-14", ["iso8859-14", "iso885914"]),
        ("ISO-8859-15", "ISO-8859-15", ["csisolatin9", "iso8859-15", "iso885915", "iso_8859-15", "l9"]),
        ("ISO-8859-16", "ISO-8859-16", []),
        ("KOI8-R", "KOI8-R", ["cskoi8r", "koi", "koi8", "koi8_r"]),
        ("KOI8-U", "KOI8-U", ["koi8-ru"]),
        ("GBK", "GB18030", ["chinese", "csgb2312", "gb2312", "gb_2312", "gb_2312-80", "x-gbk"]),
        ("gb18030", "GB18030", []),
        ("Big5", "BIG5-HKSCS", ["big5-hkscs", "cn-big5", "csbig5", "x-x-big5"]),
        ("EUC-JP", "EUC-JP", ["cseucpkdfmtjapanese", "x-euc-jp"]),
        ("Shift_JIS", "CP932", ["csshiftjis", "ms932", "ms_kanji", "shift-jis", "sjis", "windows-31j", "x-sjis"]),
        ("EUC-KR", "CP949", ["cseuckr", "korean", "ks_c_5601-1987", "ksc5601", "ksc_5601", "windows-949"]),
        ("UTF-16BE", "UTF-16BE", ["unicodefffe"]),
        ("UTF-16LE", "UTF-16LE", ["csunicode", "iso-10646-ucs-2", "ucs-2", "unicode", "unicodefeff", "utf-16"]),
    ]
}

extension CharacterEncoding {
    /// Loads the C library's converters of all encodings, for a process that can open no file later.
    package static func loadConverters() {
        // Never closed: the C library unloads a converter that is not in use.
        for (_, converter, _) in table where !converter.hasPrefix("UTF-") { _ = iconv_open("UTF-8", converter) }
    }

    /// Decodes bytes to UTF-8, without a byte order mark. Invalid input becomes U+FFFD.
    package func decode(_ bytes: [UInt8]) -> [UInt8] {
        var input = bytes[...]
        if self == .utf8, input.starts(with: [0xEF, 0xBB, 0xBF]) { input = input.dropFirst(3) }
        if name == "UTF-16LE", input.starts(with: [0xFF, 0xFE]) { input = input.dropFirst(2) }
        if name == "UTF-16BE", input.starts(with: [0xFE, 0xFF]) { input = input.dropFirst(2) }
        guard self != .utf8 else {
            let text = input.count == bytes.count ? bytes : Array(input)
            // Most pages are valid and stay as they are.
            return text.isUTF8 ? text : Array(String(decoding: text, as: UTF8.self).utf8)
        }
        return convert(Array(input), from: converter, to: "UTF-8") { byte in
            // The standard's windows-125x decoders map unassigned bytes to the C1 controls.
            self.name.hasPrefix("windows-") ? Array(String(UnicodeScalar(byte)).utf8) : [0xEF, 0xBF, 0xBD]
        }
    }

    /// Encodes a form's text. A character that the encoding lacks becomes `&#N;` (HTML Standard, section 4.10.21.8).
    public func encode(_ text: String) -> [UInt8] {
        // The Encoding Standard's "get an output encoding": UTF-16 has no encoder.
        guard self != .utf8, !name.hasPrefix("UTF-16") else { return Array(text.utf8) }
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                result.append(UInt8(scalar.value))
            } else if let bytes = bytes(of: scalar) {
                result += bytes
            } else {
                result += Array("&#\(scalar.value);".utf8)
            }
        }
        return result
    }

    /// Returns the bytes of a scalar, or nil when the encoding lacks it.
    package func bytes(of scalar: Unicode.Scalar) -> [UInt8]? {
        let utf8 = Array(String(scalar).utf8)
        guard self != .utf8, !name.hasPrefix("UTF-16") else { return utf8 }
        var isComplete = true
        let bytes = convert(utf8, from: "UTF-8", to: converter) { _ in
            isComplete = false
            return []
        }
        return isComplete && !bytes.isEmpty ? bytes : nil
    }

    private func convert(
        _ bytes: [UInt8], from: String, to: String, replacing: (UInt8) -> [UInt8]
    ) -> [UInt8] {
        guard let descriptor = iconv_open(to, from), descriptor != iconv_t(bitPattern: -1) else { return bytes }
        defer { iconv_close(descriptor) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        var input = bytes
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        input.withUnsafeMutableBytes { raw in
            var next: UnsafeMutablePointer<CChar>? = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            var left = raw.count
            while left > 0 {
                let room = buffer.count
                var free = room
                let outcome = buffer.withUnsafeMutableBufferPointer { output -> Int in
                    var target: UnsafeMutablePointer<CChar>? = output.baseAddress
                    return Int(iconv(descriptor, &next, &left, &target, &free))
                }
                let code = errno
                result += buffer[..<(room - free)].map { UInt8(bitPattern: $0) }
                guard outcome == -1, code != E2BIG, left > 0, let here = next else { continue }
                result += replacing(UInt8(bitPattern: here.pointee))
                next = here + 1
                left -= 1
            }
        }
        return result
    }
}
