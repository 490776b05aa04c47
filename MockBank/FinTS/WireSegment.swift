/// A segment as the mock bank reads it: groups of elements, each as bytes. Written apart from the client's reader, so that
/// a mistake of one is not hidden by the same mistake of the other.
struct WireSegment: Sendable {
    let code: String
    let number: Int
    let version: Int
    let groups: [[[UInt8]]]

    /// Returns an element as text; the header is group 0.
    func text(_ group: Int, _ element: Int = 0) -> String {
        guard groups.indices.contains(group), groups[group].indices.contains(element) else { return "" }
        return String(groups[group][element].map { Character(Unicode.Scalar($0)) })
    }

    func bytes(_ group: Int, _ element: Int = 0) -> [UInt8] {
        groups.indices.contains(group) && groups[group].indices.contains(element) ? groups[group][element] : []
    }

    /// Returns the segments of a message; nil when it is not one.
    static func all(in message: [UInt8]) -> [WireSegment]? {
        var segments: [WireSegment] = []
        var groups: [[[UInt8]]] = [[[]]]
        var place = 0
        while place < message.count {
            let byte = message[place]
            place += 1
            let group = groups.count - 1
            let element = groups[group].count - 1
            switch byte {
            case UInt8(ascii: "?"):
                guard place < message.count else { return nil }
                groups[group][element].append(message[place])
                place += 1
            case UInt8(ascii: ":"): groups[group].append([])
            case UInt8(ascii: "+"): groups.append([[]])
            case UInt8(ascii: "@"):
                guard let end = message[place...].firstIndex(of: UInt8(ascii: "@")),
                    let count = Int(String(decoding: message[place..<end], as: UTF8.self)), count >= 0,
                    end + 1 + count <= message.count
                else { return nil }
                groups[group][element] += message[(end + 1)..<(end + 1 + count)]
                place = end + 1 + count
            case UInt8(ascii: "'"):
                let header = groups[0].map { String(decoding: $0, as: UTF8.self) }
                guard header.count >= 3, let number = Int(header[1]), let version = Int(header[2]) else { return nil }
                segments.append(WireSegment(code: header[0], number: number, version: version, groups: groups))
                groups = [[[]]]
            default: groups[group][element].append(byte)
            }
        }
        return groups.count == 1 && groups[0].count == 1 && groups[0][0].isEmpty ? segments : nil
    }

    /// Writes a text so that none of its characters ends an element.
    static func escaped(_ text: String) -> String {
        text.map { "?@'+:".contains($0) ? "?\($0)" : String($0) }.joined()
    }

    /// Returns bytes behind their length.
    static func counted(_ bytes: [UInt8]) -> [UInt8] { Array("@\(bytes.count)@".utf8) + bytes }

    /// Writes a text in ISO 8859-1, in which every character here has a byte.
    static func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}
