import Foundation

extension [UInt8] {
    /// Overwrites a buffer that a secret passed through, in a way that the optimiser cannot remove.
    package mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            overwrite(start, bytes.count)
        }
    }
}

/// Zeroes memory even if it is never read again.
func overwrite(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Glibc)
        explicit_bzero(start, count)
    #else
        memset_s(start, count, 0, count)
    #endif
}
