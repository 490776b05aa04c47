import Foundation
import TestSupport
import Testing

@testable import Machine

@Suite("A socket at which another program serves")
struct ServedSocketTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.appending("broker.sock") }

    init() throws {
        folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "served-\(UUID().uuidString.prefix(8))")
    }

    @Test("is there while a socket lies at its path, and nothing else")
    func there() throws {
        #expect(!ServedSocket(file).isThere)
        try Data().write(to: file)
        #expect(!ServedSocket(file).isThere)
        try FileManager.default.removeItem(at: file)
        var address = try UnixSocketAddress(file)
        let descriptor = try UnixSocketAddress.makeSocket()
        defer { close(descriptor) }
        try #require(address.withAddress { bind(descriptor, $0, $1) } == 0)
        #expect(ServedSocket(file).isThere)
    }

    @Test("has room for 103 bytes of a path, and for no more", arguments: [(103, true), (104, false)])
    func room(_ length: Int, _ hasRoom: Bool) {
        let path = "/" + String(repeating: "x", count: length - 1)
        #expect(ServedSocket(URL(filePath: path)).hasRoom == hasRoom)
    }

    @Test("accepts the user of this process as the one who serves it, and refuses others")
    func users() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try ServedSocket(file).check(ends[0])
        #expect(throws: ProcessSocketError.foreignUser(geteuid())) {
            try ServedSocket(file, servedBy: [geteuid() + 1]).check(ends[0])
        }
    }

    @Test("takes a socket without another end for no user's")
    func unconnected() throws {
        let descriptor = try UnixSocketAddress.makeSocket()
        defer { close(descriptor) }
        for unconnected in [descriptor, -1] {
            #expect(throws: ProcessSocketError.unavailable("it takes no connection now")) {
                try ServedSocket(file).check(unconnected)
            }
        }
    }
}
