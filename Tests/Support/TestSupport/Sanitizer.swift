import Foundation

/// AddressSanitizer and ThreadSanitizer. Their allocators do not wipe what is freed.
package enum Sanitizer {
    /// True in a process that was built with AddressSanitizer or ThreadSanitizer.
    package static let isActive = has("__asan_init") || has("__tsan_init")

    private static func has(_ function: String) -> Bool { dlsym(dlopen(nil, RTLD_NOW), function) != nil }
}
