/// A borrowed run of UTF-8 or other bytes.
package typealias Bytes = UnsafeBufferPointer<UInt8>

extension String {
    /// Calls a closure with the text's UTF-8. Unlike `withUTF8`, this needs no mutable copy of a native string.
    @inlinable
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}

extension UInt8 {
    /// The byte with an ASCII upper-case letter lowered.
    @inlinable
    package var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
