import Clocks
import Encodings
import Hummingbird
import Messages

extension Request {
    /// The most bytes of a body that are read.
    static let largestBody = 256 << 10

    /// Reads the body strictly: one I-JSON object in UTF-8, at most `limit` bytes and 64 levels.
    func json(atMost limit: Int = largestBody) async throws -> JSONValue {
        let buffer: ByteBuffer
        do {
            buffer = try await body.collect(upTo: limit)
        } catch {
            throw APIError(.contentTooLarge, .payloadTooLarge, "the body has more than \(limit) bytes")
        }
        let json: JSONValue
        do {
            json = try JSONReader.read(buffer.readableBytesView, limits: JSONLimits(depth: 64, size: limit))
        } catch {
            throw APIError(.badRequest, .invalidJSON, "the body is not JSON: \(error)")
        }
        guard json.objectValue != nil else {
            throw APIError(.badRequest, .invalidJSON, "the body must be a JSON object")
        }
        return json
    }

    /// Reads the body as one of the values of ``Messages``.
    func decoded<Body>(
        atMost limit: Int = largestBody, _ decode: (JSONValue) throws(BodyError) -> Body
    ) async throws -> Body {
        let json = try await json(atMost: limit)
        do {
            return try decode(json)
        } catch {
            throw APIError(error)
        }
    }
}
