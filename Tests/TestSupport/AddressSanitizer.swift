import Foundation

/// AddressSanitizer replaces the memory allocator by one of its own, which keeps freed memory for a while.
package enum AddressSanitizer {
    /// True in a process that was built with it.
    package static let isActive = dlsym(dlopen(nil, RTLD_NOW), "__asan_init") != nil
}
