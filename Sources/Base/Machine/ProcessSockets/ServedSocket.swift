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

    /// The most bytes of a path. It is what macOS has room for, and what SwiftNIO, in which our HTTP servers listen, takes
    /// everywhere; Linux has room for four more.
    static let longestPath = 103

    /// True when the path is short enough for a socket.
    package var hasRoom: Bool { file.path.utf8.count <= Self.longestPath }

    /// The words about a path that is too long.
    package var lackOfRoom: String {
        "\(file.path) has more than \(Self.longestPath) bytes, too many for a socket; choose a shorter path"
    }

    /// Makes a socket that can be connected to this one.
    ///
    /// - Throws: ``ProcessSocketError/cannotServe(_:)`` when the system gives none.
    package func makeSocket() throws(ProcessSocketError) -> Int32 { try UnixSocketAddress.makeSocket() }

    /// Checks who serves a connection to this socket.
    ///
    /// - Parameter descriptor: the connected socket.
    /// - Throws: ``ProcessSocketError/foreignUser(_:)``; ``ProcessSocketError/unavailable(_:)`` for a socket that is not
    ///   connected, as one is whose server has too many connections waiting.
    package func check(_ descriptor: Int32) throws(ProcessSocketError) {
        let user = PeerUser.of(descriptor)
        guard let user, user != .max else { throw .unavailable("it takes no connection now") }
        guard users.contains(user) else { throw .foreignUser(user) }
    }
}
