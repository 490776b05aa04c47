import Foundation

extension [UInt8] {
    /// Overwrites the bytes where they lie, in a way that no optimiser leaves out: for what a secret passed through.
    package mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            overwrite(start, bytes.count)
        }
    }
}

/// Zeroes memory although nobody reads it again.
func overwrite(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Glibc)
        explicit_bzero(start, count)
    #else
        memset_s(start, count, 0, count)
    #endif
}
