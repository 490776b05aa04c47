import Crypto
import CurlClient
import Encodings
import Foundation

/// A bank in the test's process. It answers each request of a script's engine from memory.
protocol AnsweringBank: HTTPTransport {
    func answer(_ request: HTTPRequest) -> (HTTPResponseHead, [UInt8])
}

extension AnsweringBank {
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (head, body) = answer(request)
        return HTTPResponse(head: head, body: body)
    }

    func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
        let (head, body) = answer(request)
        try Data(body).write(to: file)
        return HTTPDownload(
            head: head, file: file, bytes: body.count, sha256: Base16.encode(SHA256.hash(data: body)),
            firstBytes: body, lastBytes: body)
    }

    func cookies() async -> [HTTPCookie] { [] }
    func close() async {}
}
