import CZlib
import Foundation
import Testing

@testable import CurlClient

@Suite("The codings of a body")
struct ContentCodingTests {
    private static let text = Array(String(repeating: "a statement of March, ", count: 9000).utf8)

    /// - Parameter windowBits: negative for bare deflate, 16 more for gzip.
    private static func compressed(_ bytes: [UInt8], _ windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        var result = [UInt8](repeating: 0, count: bytes.count + 1024)
        var input = bytes
        deflateInit2_(
            &stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        let count = input.withUnsafeMutableBufferPointer { source in
            result.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                deflate(&stream, Z_FINISH)
                return target.count - Int(stream.avail_out)
            }
        }
        return Array(result[..<count])
    }

    private static func gzip(_ bytes: some Collection<UInt8>) -> [UInt8] { compressed(Array(bytes), 31) }

    private static let bodies: [(String, [UInt8])] = [
        ("gzip", gzip(text)), ("x-gzip", gzip(text)), ("GZIP", gzip(text)), ("deflate", compressed(text, 15)),
        ("deflate", compressed(text, -15)), ("gzip, gzip", gzip(gzip(text))),
        ("deflate, gzip", gzip(compressed(text, 15))),
        ("gzip", gzip(text) + [0x0D, 0x0A, 0, 0]), ("gzip", gzip(text.prefix(40)) + gzip(text.dropFirst(40))),
        ("UTF-8", text), ("none", text), ("identity", text), ("utf-8, gzip", gzip(text)), ("gzip", text),
    ]

    @Test("are undone as browsers do it, however small its pieces are", arguments: bodies.indices, [1, 7, 1 << 20])
    func undone(index: Int, size: Int) {
        let (name, body) = Self.bodies[index]
        var decoded: [UInt8] = []
        let coding = ContentCoding([HTTPHeader("Content-Encoding", name)])
        for start in stride(from: 0, to: body.count, by: size) {
            let piece = Array(body[start..<min(start + size, body.count)])
            guard let coding else {
                decoded += piece
                continue
            }
            let outcome = piece.withUnsafeBytes { bytes in
                coding.decode(bytes) {
                    decoded += $0
                    return true
                }
            }
            guard case .goesOn = outcome else {
                Issue.record("\(name) stopped at \(start)")
                return
            }
        }
        #expect(decoded == Self.text)
        #expect(coding?.isComplete != false)
    }

    @Test("know where their data is cut")
    func cut() {
        for (name, body) in Self.bodies.prefix(7) {
            let coding = ContentCoding([HTTPHeader("Content-Encoding", name)])
            _ = body.dropLast(20).withUnsafeBytes { coding?.decode($0) { _ in true } }
            #expect(coding?.isComplete == false, "\(name)")
        }
    }

    @Test("are those of the libraries that libcurl brings")
    func brotli() throws {
        let coding = try #require(ContentCoding([HTTPHeader("Content-Encoding", "br")]))
        var decoded: [UInt8] = []
        // “hello”, uncompressed in brotli's frame (RFC 7932, section 9).
        let body: [UInt8] = [0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03]
        _ = body.withUnsafeBytes { bytes in
            coding.decode(bytes) {
                decoded += $0
                return true
            }
        }
        #expect(String(decoding: decoded, as: UTF8.self) == "hello")
        #expect(coding.isComplete)
        #expect(ContentCoding.accepted == "gzip, deflate, br, zstd")
    }

    @Test("keep half a document from being one, and no bomb is unpacked beyond the limit")
    func download() async throws {
        let whole = Self.gzip(Self.text)
        let half = Array(whole.prefix(whole.count / 2))
        @Sendable func head(_ body: [UInt8]) -> [UInt8] {
            Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
        }
        let server = try RawServer { line, _ in
            line.hasPrefix("GET /half") ? .keep(head(half) + half) : .keep(head(whole) + whole)
        }
        defer { server.stop() }
        let session = CurlSession(CurlConfiguration())
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).bin")
        defer { try? FileManager.default.removeItem(at: file) }
        let error = await #expect(throws: CurlError.self) {
            try await session.download(HTTPRequest("GET", server.url + "/half"), to: file)
        }
        #expect(error?.code == .connectionLost)
        let large = await #expect(throws: CurlError.self) {
            try await session.download(HTTPRequest("GET", server.url), to: file, limit: 1000)
        }
        #expect(large?.code == .tooLarge)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let received = try await session.download(HTTPRequest("GET", server.url), to: file)
        #expect(received.bytes == Self.text.count)
        await session.close()
    }
}
