import CLibCurl
import Foundation

/// The Public Suffix List, which lets libcurl refuse a cookie for all of `co.uk` (RFC 6265, section 5.3).
///
/// Sessions share the list and nothing else of libcurl's. Otherwise libcurl reads it again for each session, which
/// takes longer than some exchanges.
///
/// Budget: the warm fetch (1.3 times bare libcurl).
final class PublicSuffixes: @unchecked Sendable {
    static let shared = PublicSuffixes()

    /// Nil when this libcurl does not support the list.
    private let share: UnsafeMutableRawPointer?
    /// One lock for each kind of data, because libcurl may hold one while it takes another.
    private let locks: UnsafeMutablePointer<pthread_mutex_t>

    private init() {
        let kinds = Int(CURL_LOCK_DATA_LAST.rawValue)
        locks = .allocate(capacity: kinds)
        locks.initialize(repeating: pthread_mutex_t(), count: kinds)
        for kind in 0..<kinds { pthread_mutex_init(locks + kind, nil) }
        share = countersign_curl_share_suffixes(
            { _, kind, _, locks in pthread_mutex_lock(PublicSuffixes.lock(of: kind, in: locks)) },
            { _, kind, locks in pthread_mutex_unlock(PublicSuffixes.lock(of: kind, in: locks)) }, locks)
    }

    private static func lock(
        of kind: curl_lock_data, in locks: UnsafeMutableRawPointer?
    ) -> UnsafeMutablePointer<pthread_mutex_t> {
        locks!.assumingMemoryBound(to: pthread_mutex_t.self) + Int(kind.rawValue)
    }

    func lend(to easy: UnsafeMutableRawPointer) {
        if let share { _ = countersign_curl_set_pointer(easy, CURLOPT_SHARE, share) }
    }
}
