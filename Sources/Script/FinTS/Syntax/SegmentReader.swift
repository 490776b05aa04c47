/// Reads the segments of a message (FinTS 3.0, Formals, chapter B.4).
///
/// A segment ends with an apostrophe, a group with a plus sign, an element with a colon. A question mark before one of
/// these, or before an at sign or another question mark, takes its meaning away. Bytes stand behind their length: `@3@abc`.
package struct SegmentReader {
    /// The limits on one message of a bank. They are far above what the specification allows for its own lists.
    package struct Limits: Sendable {
        package var segments = 4_000
        package var groupsOfSegment = 2_000
        package var elementsOfGroup = 4_000
        /// In the whole message. An empty element is one byte on its way, and some thirty in memory.
        package var elements = 100_000
        package init() {}
    }

    private let bytes: ArraySlice<UInt8>
    private let limits: Limits
    private var position: Int
    private var elements = 0

    private init(_ bytes: ArraySlice<UInt8>, _ limits: Limits) {
        self.bytes = bytes
        self.limits = limits
        position = bytes.startIndex
    }

    /// - Throws: ``SyntaxFault`` for anything that is not a list of whole segments.
    package static func segments(
        of bytes: [UInt8], limits: Limits = Limits()
    ) throws(SyntaxFault) -> [Segment] {
        var reader = SegmentReader(bytes[...], limits)
        var segments: [Segment] = []
        while !reader.isAtEnd {
            guard segments.count < limits.segments else {
                throw reader.fault("the message has more than \(limits.segments) segments")
            }
            segments.append(try reader.segment())
        }
        return segments
    }

    private var isAtEnd: Bool { position == bytes.endIndex }

    private func fault(_ problem: String) -> SyntaxFault { SyntaxFault(problem, at: position) }

    private mutating func segment() throws(SyntaxFault) -> Segment {
        let start = position
        var groups: [ElementGroup] = [[]]
        while true {
            guard groups[groups.count - 1].count < limits.elementsOfGroup else {
                throw fault("a group has more than \(limits.elementsOfGroup) elements")
            }
            guard elements < limits.elements else {
                throw fault("the message has more than \(limits.elements) elements")
            }
            elements += 1
            groups[groups.count - 1].append(try element())
            guard !isAtEnd else { throw fault("the last segment has no end") }
            let delimiter = bytes[position]
            position += 1
            switch delimiter {
            case UInt8(ascii: ":"): continue
            case UInt8(ascii: "+"):
                guard groups.count < limits.groupsOfSegment else {
                    throw fault("a segment has more than \(limits.groupsOfSegment) groups")
                }
                groups.append([])
            default: return try header(groups, at: start)
            }
        }
    }

    private func header(_ groups: [ElementGroup], at start: Int) throws(SyntaxFault) -> Segment {
        let header = groups[0]
        guard (3...4).contains(header.count), let code = header[0].text, (4...6).contains(code.utf8.count),
            code.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { throw SyntaxFault("a segment does not begin with its code, number and version", at: start) }
        // Nothing hangs on the number of a bank's segment, and some banks leave it out.
        let numberText = header[1].text
        guard let number = numberText == "" ? 0 : header[1].number, number <= 999 else {
            throw SyntaxFault("the number of the segment \(code) is not one", at: start)
        }
        guard let version = header[2].number, version <= 999 else {
            throw SyntaxFault("the version of the segment \(code) is not a number", at: start)
        }
        var reference: Int?
        if header.count == 4, header[3].text != "" {
            guard let number = header[3].number, number <= 999 else {
                throw SyntaxFault("the reference of the segment \(code) is not a number", at: start)
            }
            reference = number
        }
        return Segment(code, version: version, number: number, reference: reference, Array(groups.dropFirst()))
    }

    /// Reads up to the next delimiter, which it leaves.
    private mutating func element() throws(SyntaxFault) -> DataElement {
        guard !isAtEnd else { throw fault("the message ends inside a segment") }
        if bytes[position] == UInt8(ascii: "@") { return try binary() }
        var read: [UInt8] = []
        while !isAtEnd {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "+"), UInt8(ascii: ":"):
                return read.isEmpty ? .empty : .text(Latin1.text(read))
            case UInt8(ascii: "@"): throw fault("bytes begin in the middle of a text")
            case UInt8(ascii: "?"):
                guard position + 1 < bytes.endIndex else { throw fault("the message ends behind a question mark") }
                let escaped = bytes[position + 1]
                guard Self.escaped.contains(escaped) else {
                    throw fault("a question mark stands before an ordinary character")
                }
                read.append(escaped)
                position += 2
            case 0..<0x20 where byte != 0x0A && byte != 0x0D:
                throw fault("a control character stands in a text")
            default:
                read.append(byte)
                position += 1
            }
        }
        throw fault("the message ends inside a segment")
    }

    /// The characters that a question mark may stand before.
    private static let escaped = Array("?@'+:".utf8)

    private mutating func binary() throws(SyntaxFault) -> DataElement {
        position += 1
        let digits = bytes[position...].prefix { (48...57).contains($0) }
        guard (1...9).contains(digits.count), let count = Int(Latin1.text(digits)),
            digits.endIndex < bytes.endIndex, bytes[digits.endIndex] == UInt8(ascii: "@")
        else { throw fault("a length between at signs is not a number") }
        let start = digits.endIndex + 1
        guard count <= bytes.endIndex - start else {
            throw fault("\(count) bytes are announced, and \(bytes.endIndex - start) are there")
        }
        position = start + count
        guard !isAtEnd, [UInt8(ascii: "'"), UInt8(ascii: "+"), UInt8(ascii: ":")].contains(bytes[position]) else {
            throw fault("something stands behind the end of \(count) bytes")
        }
        return .binary(Array(bytes[start..<position]))
    }
}
