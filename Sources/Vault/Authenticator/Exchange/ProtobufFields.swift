/// The fields of one Protocol Buffers message, in order.
///
/// Reads only as much of the wire format as the export's messages need:
/// https://protobuf.dev/programming-guides/encoding/
struct ProtobufFields: Sequence, IteratorProtocol {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A value of 32 or 64 bits. No field that is read here has one.
        case other
    }

    private var rest: ArraySlice<UInt8>
    private(set) var isMalformed = false

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func next() -> (number: UInt64, value: Value)? {
        guard !rest.isEmpty, !isMalformed else { return nil }
        guard let tag = varint(), tag >> 3 > 0 else { return malformed() }
        switch tag & 7 {
        case 0:
            guard let number = varint() else { return malformed() }
            return (tag >> 3, .number(number))
        case 1:
            guard take(8) != nil else { return malformed() }
            return (tag >> 3, .other)
        case 2:
            guard let length = varint(), length <= UInt64(rest.count), let bytes = take(Int(length)) else {
                return malformed()
            }
            return (tag >> 3, .bytes(bytes))
        case 5:
            guard take(4) != nil else { return malformed() }
            return (tag >> 3, .other)
        default: return malformed()
        }
    }

    /// Returns all fields; nil if the message is malformed or cut short.
    static func all(of bytes: ArraySlice<UInt8>) -> [(number: UInt64, value: Value)]? {
        var fields = ProtobufFields(bytes)
        var result: [(number: UInt64, value: Value)] = []
        while let field = fields.next() { result.append(field) }
        return fields.isMalformed ? nil : result
    }

    private mutating func malformed() -> (number: UInt64, value: Value)? {
        isMalformed = true
        return nil
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func varint() -> UInt64? {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            guard shift < 63 || byte <= 1 else { return nil }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
        }
        return nil
    }
}
