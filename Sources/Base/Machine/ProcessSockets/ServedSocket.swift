import Foundation

/// A Unix socket at which a program of this machine serves, and the users one of whom has to run that program.
package struct ServedSocket: Sendable, Hashable {
    package let file: URL
    package let users: Set<UInt32>

    /// - Parameter users: by default the user of this process alone.
    package init(_ file: URL, servedBy users: Set<UInt32> = [geteuid()]) {
        self.file = file
        self.users = users
    }

    /// True while a socket lies at the path. Its program may have ended all the same.
    package var isThere: Bool {
        var status = stat()
        return lstat(file.path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// True when the path is short enough for a socket.
    package var hasRoom: Bool { (try? UnixSocketAddress(file)) != nil }

    /// Makes a socket that can be connected to this one.
    ///
    /// - Throws: ``ProcessSocketError/cannotServe(_:)`` when the system gives none.
    package func makeSocket() throws(ProcessSocketError) -> Int32 { try UnixSocketAddress.makeSocket() }

    /// Checks who serves a connection to this socket.
    ///
    /// - Parameter descriptor: the connected socket.
    /// - Throws: ``ProcessSocketError/foreignUser(_:)``.
    package func check(_ descriptor: Int32) throws(ProcessSocketError) {
        let user = PeerUser.of(descriptor)
        guard let user, users.contains(user) else { throw .foreignUser(user ?? .max) }
    }
}
