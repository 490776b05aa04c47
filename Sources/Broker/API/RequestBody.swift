import Clocks
import Hummingbird
import JSON
import Signer

/// A JSON body, read strictly: I-JSON in UTF-8, at most 256 KiB, at most 64 levels; unknown members are ignored.
struct RequestBody {
    static let limit = 256 << 10

    private let members: [String: JSONValue]

    /// The whole body.
    var json: JSONValue { .object(members) }

    init(_ request: Request) async throws {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: Self.limit)
        } catch {
            throw APIError(.contentTooLarge, "PAYLOAD_TOO_LARGE", "the body has more than \(Self.limit) bytes")
        }
        let json: JSONValue
        do {
            json = try JSONReader.read(buffer.readableBytesView, limits: JSONLimits(depth: 64, size: Self.limit))
        } catch {
            throw APIError(.badRequest, "INVALID_JSON", "the body is not JSON: \(error)")
        }
        guard case .object(let members) = json else {
            throw APIError(.badRequest, "INVALID_JSON", "the body is no JSON object")
        }
        self.members = members
    }

    func text(_ name: String, atMost limit: Int) throws(APIError) -> String {
        guard let text = try optionalText(name, atMost: limit) else { throw .missing(name) }
        return text
    }

    func optionalText(_ name: String, atMost limit: Int) throws(APIError) -> String? {
        guard let value = members[name], value != .null else { return nil }
        guard let text = value.stringValue else { throw .invalid(name, "no text") }
        guard text.unicodeScalars.count <= limit else { throw .invalid(name, "longer than \(limit) characters") }
        return text
    }

    func whole(_ name: String) throws(APIError) -> Int {
        guard let value = members[name], value != .null else { throw .missing(name) }
        guard let number = value.intValue else { throw .invalid(name, "no whole number") }
        return number
    }

    func time(_ name: String) throws(APIError) -> Timestamp {
        guard let time = Timestamp(try text(name, atMost: 40)) else { throw .invalid(name, "no ISO 8601 time") }
        return time
    }
}
