import BrokerStore
import Clocks
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import Machine
import Messages
import Storage

import struct Crypto.SHA256

/// The route on which an agent on another machine gets the file of a document that it has.
struct DocumentFileAPI: Sendable {
    let documents: DocumentsAPI
    let audit: AuditLog
    let clock: BrokerClock
    /// The files that are sent at a time for each agent: each is in memory.
    let downloads = WaitingPolls<AgentName>(atMost: 2, "downloads of this agent are under way already")

    /// The largest file, in bytes: deliveries have the same limit.
    private static let largest = 64 << 20

    func addRoute(to router: some RouterMethods<BrokerContext>) {
        router.get("documents/:document/file") { request, context in
            try await file(try documents.documentID(context), request, for: try context.callingAgent())
        }
    }

    private func file(_ id: DocumentID, _ request: Request, for agent: AgentName) async throws -> Response {
        guard try await documents.policy.rules(of: agent).fileWays(of: agent).contains(.bytes) else {
            throw APIError(
                .forbidden, .agentNotAllowed,
                "the owner's policy does not give the agent “\(agent)” files over HTTP; it can say “files: bytes” for it"
            )
        }
        let held = try await documents.held(id, by: agent)
        guard let path = held.document.filePath, let sha256 = held.document.sha256 else {
            throw DocumentsAPI.unknown
        }
        try downloads.enter(agent, for: 5)
        defer { downloads.leave(agent) }
        let (bytes, digest) = try await Self.verified(path, sha256)
        let tag = "\"\(sha256)\""
        var headers: HTTPFields = [
            .contentType: held.document.kind.mediaType, .cacheControl: "no-store", .acceptRanges: "bytes", .eTag: tag,
            .contentDisposition: "attachment; filename=\"\(id).\(held.document.kind.rawValue)\"",
            .xContentTypeOptions: "nosniff",
        ]
        // RFC 9530, section 3: of the whole file, whatever part of it is sent.
        headers[Self.reprDigest] = "sha-256=:\(Data(digest).base64EncodedString()):"
        let wanted = Self.isFresh(request.headers[.ifRange], tag) ? request.headers[.range] : nil
        let range = RequestedRange(wanted, of: bytes.count)
        try await record(held, range, to: agent)
        switch range {
        case .whole:
            return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"
            return Response(
                status: .partialContent, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes[part])))
        case .unsatisfiable:
            var error = APIError(
                .rangeNotSatisfiable, .badRequest, "the file has \(bytes.count) bytes, and none in this range")
            error.headers[.contentRange] = "bytes */\(bytes.count)"
            throw error
        }
    }

    private static let reprDigest = HTTPField.Name("Repr-Digest")!

    /// A part continues an earlier download only while the file is the same (RFC 9110, section 13.1.5).
    private static func isFresh(_ condition: String?, _ tag: String) -> Bool { condition == nil || condition == tag }

    /// Reads the file and compares it with what the phone signed for: a file that was changed since is not sent.
    private static func verified(_ path: String, _ sha256: String) async throws -> ([UInt8], SHA256.Digest) {
        let bytes: [UInt8]
        do {
            bytes = try await BlockingWork.run { try OpenedFile(URL(filePath: path)).bytes(atMost: largest) }
        } catch {
            throw DocumentsAPI.unknown
        }
        let digest = SHA256.hash(data: bytes)
        guard Base16.encode(digest) == sha256 else {
            throw APIError.conflict(
                "the file is not the one any more that the phone delivered; ask for it again with “refetch”")
        }
        return (bytes, digest)
    }

    private func record(_ held: HeldDocument, _ range: RequestedRange, to agent: AgentName) async throws {
        var details: [String: JSONValue] = [
            "agent": .string(agent.description), "document": .string(held.document.id.description),
            "sha256": .string(held.document.sha256 ?? ""),
        ]
        switch range {
        case .whole: break
        case .part(let part):
            details["first_byte"] = .number(Double(part.lowerBound))
            details["last_byte"] = .number(Double(part.upperBound - 1))
        case .unsatisfiable: return
        }
        try await audit.record(
            AuditEvent(
                .documentSent, requestID: held.requestID.description, details: .object(details), time: clock.now))
    }
}
