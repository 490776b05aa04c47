import Encodings
import HTTPTypes
import Hummingbird

extension Response {
    /// Answers with one of a page's files, which a browser may keep for a minute.
    package static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "private, max-age=60"],
            body: .init(byteBuffer: .init(bytes: bytes)))
    }

    /// Answers a page's script.
    package static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8"],
            body: .init(byteBuffer: .init(bytes: value.compactBytes())))
    }
}
