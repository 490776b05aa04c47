import Foundation
import ScriptCollections
import TestServers
import TestSupport
import Testing

@Suite("A collection at an address")
struct AddressSourceTests {
    private func kind(_ source: AddressSource, atMost limit: Int = 1000) async -> CollectionError.Kind? {
        do throws(CollectionError) {
            _ = try await source.bytes("metadata/timestamp.json", atMost: limit)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(
        "is fetched over https only, and over http from this machine",
        arguments: [
            "http://collections.example", "ftp://localhost/", "https://", "collection", "https://a.example/?x=1",
            "https://user@a.example/", "https://a.example/#x",
        ])
    func addresses(address: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        #expect(throws: CollectionError.self) { try AddressSource(address, folder: folder.url) }
    }

    @Test(
        "says what came instead of a file",
        arguments: [
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", CollectionError.Kind.notFound),
            ("HTTP/1.1 302 Found\r\nLocation: https://other.example/\r\nContent-Length: 0\r\n\r\n", .unreachable),
            ("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", .unreachable),
            ("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort", .unreachable),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "x", count: 2000), .tooLong),
        ])
    func answers(answer: String, kind expected: CollectionError.Kind) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let site = try await LoopbackSite.start { _ in answer }
        let source = try AddressSource("http://127.0.0.1:\(site.port)/collection", folder: folder.url)
        #expect(await kind(source) == expected)
        #expect(site.arrivals.paths == ["/collection/metadata/timestamp.json"])
        #expect(folder.names.isEmpty)
        await source.close()
        await site.stop()
    }

    @Test("takes a file as it is, and no redirect")
    func delivery() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await FakeReceiver.with { receiver, url in
            let source = try AddressSource("\(url)/collection", folder: folder.url)
            try await source.deliver(Array("{\"a\":1}".utf8), to: "results")
            let message = try #require(await receiver.messages.first)
            #expect(message.path == "/collection/results" && message.body == Array("{\"a\":1}".utf8))
            // Nothing else goes along: no cookie, no language, no name of this version.
            let known: Set<String> = [
                "host", "accept", "accept-encoding", "content-type", "content-length", "user-agent",
            ]
            #expect(Set(message.headers.keys).isSubset(of: known), "\(message.headers)")
            for (status, expected) in [(405, CollectionError.Kind.notFound), (302, .unreachable), (500, .unreachable)] {
                await receiver.answer([status], location: "\(url)/elsewhere")
                await #expect {
                    try await source.deliver([1], to: "results")
                } throws: { error in
                    (error as? CollectionError)?.kind == expected
                }
            }
            #expect(await receiver.messages.map(\.path) == Array(repeating: "/collection/results", count: 4))
            await source.close()
        }
    }

    @Test("slow retrieval: a server that sends a byte now and then is left")
    func slow() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (descriptor, port) = try LoopbackSocket.bound()
        let listener = try LoopbackListener(descriptor)
        listener.accept { connection in
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n".utf8)
            _ = send(connection, head, head.count, Int32(MSG_NOSIGNAL))
            while send(connection, [UInt8(ascii: "x")], 1, Int32(MSG_NOSIGNAL)) == 1 { usleep(50_000) }
        }
        // The whole file would take 25 seconds; the limit is what is tested.
        let source = try AddressSource("http://127.0.0.1:\(port)", folder: folder.url, patience: .milliseconds(500))
        #expect(await kind(source) == .unreachable)
        await source.close()
        listener.stop()
        listener.endConnections()
    }
}
