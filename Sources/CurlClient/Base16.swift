extension Sequence<UInt8> {
    /// RFC 4648, section 8, in lower case.
    var base16: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
