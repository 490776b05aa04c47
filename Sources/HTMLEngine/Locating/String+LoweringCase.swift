extension String {
    /// As `lowercased()`, which looks every letter up as soon as one is none of ASCII's; pages are mostly ASCII.
    var loweringCase: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if scalar.isASCII {
                bytes.append(UInt8(scalar.asciiLowercased.value))
            } else {
                bytes.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
