/// The encoding of a URL's query: UTF-8, or that of the document that holds the reference.
public struct QueryEncoding: Sendable {
    /// Returns the bytes of a scalar, or nil when the encoding cannot represent it.
    let bytes: @Sendable (Unicode.Scalar) -> [UInt8]?

    public init(bytes: @escaping @Sendable (Unicode.Scalar) -> [UInt8]?) {
        self.bytes = bytes
    }

    public static let utf8 = QueryEncoding { Array(String($0).utf8) }

    /// "Percent-encode after encoding" (URL Standard, section 1.3): a scalar that cannot be encoded becomes
    /// `%26%23N%3B`.
    func percentEncode(_ text: some Sequence<Unicode.Scalar>, _ set: PercentEncodeSet) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.underestimatedCount)
        for scalar in text {
            if scalar.isASCII {
                let byte = UInt8(scalar.value)
                if set.contains(byte) { PercentEncoding.append(byte, to: &output) } else { output.append(byte) }
            } else if let encoded = bytes(scalar) {
                for byte in encoded {
                    if set.contains(byte) { PercentEncoding.append(byte, to: &output) } else { output.append(byte) }
                }
            } else {
                output += Array("%26%23\(scalar.value)%3B".utf8)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
