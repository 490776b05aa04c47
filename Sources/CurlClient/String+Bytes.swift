extension String {
    /// The text’s UTF-8, where it stands: without a copy, which `withUTF8` of a variable takes.
    @inlinable
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}
