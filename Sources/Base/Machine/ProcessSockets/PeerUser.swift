import Foundation

/// The user who runs the process at the other end of a Unix socket, as the kernel knows it (unix(7), `SO_PEERCRED`).
package enum PeerUser {
    /// Returns the user's id; nil when the system does not tell, and the peer must then be refused.
    package static func of(_ descriptor: Int32) -> UInt32? {
        #if os(Linux)
            // `struct ucred`: process, user and group, 32 bits each.
            var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
            var size = socklen_t(MemoryLayout.size(ofValue: credentials))
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0,
                size == socklen_t(MemoryLayout.size(ofValue: credentials))
            else { return nil }
            return credentials.user
        #else
            var user: uid_t = .max
            var group: gid_t = .max
            return getpeereid(descriptor, &user, &group) == 0 ? user : nil
        #endif
    }
}
