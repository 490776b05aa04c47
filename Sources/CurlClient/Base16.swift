extension Sequence<UInt8> {
    /// RFC 4648, section 8, in lower case.
    var base16: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
