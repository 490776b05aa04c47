import AssistantJobs
import Encodings
import Foundation
import Hummingbird
import HummingbirdCore
import Secrets

/// The `limit` and the `cursor` of a list that is read page by page, the newest record first.
///
/// A cursor is a place in the user's list, which later records do not move, with a code that makes it opaque: only this
/// service can make one, and it counts for one user's list.
struct ListPages: Sendable {
    /// The bytes of a cursor's code.
    private static let codeLength = 8

    let keys: StateKeys
    /// The purpose of the codes. Each list has its own.
    let purpose: String
    /// The bytes of a place in this list.
    let placeLength: Int

    /// Reads the number of records that a page has at most: 50 unless the request says otherwise.
    func limit(of request: Request) throws(AssistantError) -> Int {
        guard let text = try Self.parameter("limit", of: request) else { return 50 }
        guard text.wholeMatch(of: /[1-9][0-9]{0,2}/) != nil, let limit = Int(text), limit <= 200 else {
            throw .invalid("limit", "must be a whole number from 1 to 200")
        }
        return limit
    }

    /// Reads the place before which the page begins.
    ///
    /// - Returns: nil for the first page.
    func place(of request: Request, _ user: UUID) throws(AssistantError) -> [UInt8]? {
        guard let cursor = try Self.parameter("cursor", of: request) else { return nil }
        guard let bytes = Base64URL.decode(cursor), bytes.count == placeLength + Self.codeLength,
            ConstantTime.isEqual(code(Array(bytes.prefix(placeLength)), user), bytes.suffix(Self.codeLength))
        else {
            throw AssistantError(.badRequest, .invalidCursor, "“cursor” must be the next_cursor of an earlier page")
        }
        return Array(bytes.prefix(placeLength))
    }

    /// Returns the cursor of the page that begins before a place.
    func cursor(before place: [UInt8], of user: UUID) -> String { Base64URL.encode(place + code(place, user)) }

    /// Returns a number as a part of a place.
    static func bytes(_ number: Int) -> [UInt8] { withUnsafeBytes(of: Int64(number).bigEndian) { Array($0) } }

    static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private func code(_ place: [UInt8], _ user: UUID) -> [UInt8] {
        Array(keys.digest("\(user.uuidString) \(Base16.encode(place))", for: purpose).prefix(Self.codeLength))
    }

    private static func parameter(_ name: String, of request: Request) throws(AssistantError) -> String? {
        let values = request.uri.queryParameters.filter { $0.key == name }
        guard values.count < 2 else { throw .invalid(name, "is given more than once") }
        return values.first.map { String($0.value) }
    }
}
