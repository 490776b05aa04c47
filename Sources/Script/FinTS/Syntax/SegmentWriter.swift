import Secrets

/// Writes segments (FinTS 3.0, Formals, chapter B.4).
package enum SegmentWriter {
    /// - Throws: ``SyntaxFault`` for a text with a character beyond ISO 8859-1.
    package static func bytes(of segments: [Segment]) throws(SyntaxFault) -> [UInt8] {
        var bytes: [UInt8] = []
        for segment in segments { try write(segment, to: &bytes) }
        return bytes
    }

    private static func write(_ segment: Segment, to bytes: inout [UInt8]) throws(SyntaxFault) {
        bytes += Array("\(segment.code):\(segment.number):\(segment.version)".utf8)
        if let reference = segment.reference { bytes += Array(":\(reference)".utf8) }
        // Elements at the end that are left out are not written, nor are those at the end of a group.
        let groups = segment.groups.map(trimmed)
        let last = groups.lastIndex { !$0.isEmpty } ?? -1
        for group in groups[...last] {
            bytes.append(UInt8(ascii: "+"))
            for (index, element) in group.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ":")) }
                try write(element, of: segment.code, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "'"))
    }

    private static func trimmed(_ group: ElementGroup) -> ElementGroup {
        let last = group.lastIndex { if case .empty = $0 { false } else { true } } ?? -1
        return Array(group[...last])
    }

    private static func write(
        _ element: DataElement, of code: String, to bytes: inout [UInt8]
    ) throws(SyntaxFault) {
        switch element {
        case .empty: break
        case .text(let text):
            guard let latin = Latin1.bytes(of: text) else {
                throw SyntaxFault("a text of \(code) has a character beyond ISO 8859-1", at: bytes.count)
            }
            escape(latin, to: &bytes)
        case .binary(let binary):
            bytes += Array("@\(binary.count)@".utf8)
            bytes += binary
        case .secret(let secret):
            var revealed = Latin1.bytes(of: secret.revealed())
            defer { revealed?.wipe() }
            guard let revealed else {
                throw SyntaxFault("a secret of \(code) has a character beyond ISO 8859-1", at: bytes.count)
            }
            escape(revealed, to: &bytes)
        }
    }

    private static func escape(_ text: [UInt8], to bytes: inout [UInt8]) {
        for byte in text {
            if "?@'+:".utf8.contains(byte) { bytes.append(UInt8(ascii: "?")) }
            bytes.append(byte)
        }
    }
}
