import Encodings
import Foundation
import Hummingbird
import Secrets

/// The members of a request's body, read one by one, with an error that names the member.
struct RequestFields: Sendable {
    /// The most bytes of a body that are read.
    static let largestBody = 256 << 10

    private let members: [String: JSONValue]

    /// Reads the body strictly: one I-JSON object in UTF-8, at most 256 KiB and 16 levels.
    init(_ request: Request) async throws {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: Self.largestBody)
        } catch {
            throw AssistantError(
                .contentTooLarge, .payloadTooLarge, "the body has more than \(Self.largestBody) bytes")
        }
        let json: JSONValue
        do {
            json = try JSONReader.read(buffer.readableBytesView, limits: JSONLimits(depth: 16, size: Self.largestBody))
        } catch {
            throw AssistantError(.badRequest, .invalidJSON, "the body is not JSON: \(error)")
        }
        guard let members = json.objectValue else {
            throw AssistantError(.badRequest, .invalidJSON, "the body must be a JSON object")
        }
        self.members = members
    }

    subscript(name: String) -> JSONValue? { members[name] }

    func optionalText(_ name: String, atMost limit: Int) throws(AssistantError) -> String? {
        switch members[name] {
        case nil, .null?: return nil
        case .string(let text)?:
            guard text.unicodeScalars.count <= limit else { throw .invalid(name, "has more than \(limit) characters") }
            guard !text.isEmpty, !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { throw .invalid(name, "must not be empty or contain control characters") }
            return text
        default: throw .invalid(name, "must be a text")
        }
    }

    func text(_ name: String, atMost limit: Int) throws(AssistantError) -> String {
        guard let text = try optionalText(name, atMost: limit) else { throw .missing(name) }
        return text
    }

    func secret(_ name: String, atMost limit: Int) throws(AssistantError) -> Secret {
        Secret(try text(name, atMost: limit))
    }

    func whole(_ name: String, in range: ClosedRange<Int>) throws(AssistantError) -> Int {
        guard let value = members[name] else { throw .missing(name) }
        guard let number = value.intValue, range.contains(number) else {
            throw .invalid(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func bool(_ name: String) throws(AssistantError) -> Bool {
        guard let value = members[name] else { throw .missing(name) }
        guard let bool = value.boolValue else { throw .invalid(name, "must be true or false") }
        return bool
    }

    func optionalBool(_ name: String) throws(AssistantError) -> Bool? {
        members[name] == nil ? nil : try bool(name)
    }

    /// Reads a list of texts, without control characters.
    func optionalTexts(
        _ name: String, atMost count: Int, eachAtMost limit: Int
    ) throws(AssistantError) -> [String]? {
        guard let value = members[name] else { return nil }
        guard let items = value.arrayValue else { throw .invalid(name, "must be a list of texts") }
        guard items.count <= count else { throw .invalid(name, "has more than \(count) items") }
        var texts: [String] = []
        for item in items {
            guard let text = item.stringValue, !text.isEmpty, text.unicodeScalars.count <= limit,
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { throw .invalid(name, "must be a list of texts of 1 to \(limit) characters") }
            texts.append(text)
        }
        return texts
    }

    func object(_ name: String) throws(AssistantError) -> JSONValue {
        guard let value = members[name] else { throw .missing(name) }
        guard value.objectValue != nil else { throw .invalid(name, "must be an object") }
        return value
    }

    /// Reads a time of day, `HH:MM`.
    func timeOfDay(_ name: String) throws(AssistantError) -> String {
        let text = try text(name, atMost: 5)
        guard text.wholeMatch(of: /([01][0-9]|2[0-3]):[0-5][0-9]/) != nil else {
            throw .invalid(name, "must be a time of day from 00:00 to 23:59")
        }
        return text
    }

    /// Reads the app's own name for a device.
    func deviceID() throws(AssistantError) -> String { try text("device_id", atMost: 128) }

    /// Reads a name of the IANA's time zone database.
    func timeZone() throws(AssistantError) -> String? {
        guard let name = try optionalText("time_zone", atMost: 64) else { return nil }
        // `TimeZone` also knows abbreviations and offsets, which do not change with the seasons.
        guard name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_+\-]*(\/[A-Za-z0-9_+\-]+)*/) != nil,
            name == "UTC" || name.contains("/") || TimeZone.knownTimeZoneIdentifiers.contains(name),
            TimeZone(identifier: name) != nil
        else { throw .invalid("time_zone", "must be a time zone's name such as Europe/Vienna") }
        return name
    }
}
