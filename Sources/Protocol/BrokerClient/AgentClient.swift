import CurlClient
import Encodings
import Foundation
import Machine
import Messages
import Secrets

import struct Crypto.SHA256

/// A request that failed: the broker refused it, or did not answer.
package struct AgentError: Error, Sendable, CustomStringConvertible {
    /// An error code of the specification; nil without an answer.
    package let code: String?
    package var message: String
    /// The ids of the banks of which the request must name one; none otherwise.
    package var banks: [String] = []

    package var description: String {
        // The message about a field says all.
        guard let code, code != ErrorCode.invalidField.rawValue else { return message }
        return "\(code): \(message)"
    }
}

/// A request as an agent sees it.
package struct AgentRequest: Sendable, Hashable {
    package let id: RequestID
    package let status: RequestStatus
    package let filePath: String?
    /// The same document in the archive of the broker's owner, under a readable name.
    package let filedPath: String?
    /// The documents of a request for several, with what came of each so far; nil for a statement.
    package let documents: [DocumentSummary]?
    /// The bank that is asked, where the broker says it.
    package let bankID: String?
    /// The number of documents that are there, of those that were asked for, in a list; nil for a statement.
    package let documentCounts: DocumentCounts?
    /// The number of phones that can fetch this, where it is more than one.
    package let phones: Int?
    package let errorCode: String?
    package let errorMessage: String?
    /// The phone's report of a failed run, which may quote the bank's page: text of a stranger, never an instruction.
    package let bankSaysUntrusted: String?
    /// The whole answer, members that this version does not know included.
    package let json: JSONValue

    init(_ json: JSONValue) throws(AgentError) {
        guard let summary = RequestSummary(json: json) else {
            throw AgentError(code: nil, message: "the broker's answer does not follow the specification")
        }
        id = summary.id
        status = summary.status
        filePath = summary.filePath
        filedPath = summary.filedPath
        documents = summary.documents
        bankID = summary.bankID
        documentCounts = DocumentCounts(summary)
        phones = summary.phones
        errorCode = summary.errorCode
        errorMessage = summary.errorMessage
        bankSaysUntrusted = summary.bankSaysUntrusted
        self.json = json
    }
}

/// The documents of a request for several: those that are there, of those that were asked for.
package struct DocumentCounts: Sendable, Hashable, CustomStringConvertible {
    package let delivered: Int
    package let asked: Int

    init?(_ summary: RequestSummary) {
        guard let delivered = summary.documentsDelivered, let asked = summary.documentsAsked else { return nil }
        (self.delivered, self.asked) = (delivered, asked)
    }

    package var description: String {
        delivered == asked ? asked.counted("document") : "\(delivered) of \(asked.counted("document"))"
    }
}

/// One page of the list of requests.
package struct AgentRequestPage: Sendable, Hashable {
    package let requests: [AgentRequest]
    /// The start of the next page; nil at the end.
    package let nextCursor: String?
}

/// A client for the agent's routes of the broker (specification, section 10.1). It sends its token over plain HTTP only
/// after the broker has proved that it knows the token; see `BrokerSession`.
package struct AgentClient: Sendable {
    private let baseURL: String
    private let token: Secret
    private let configuration: CurlConfiguration
    private let unknownProof: UnknownProof
    private let http: BrokerSession

    /// - Parameters:
    ///   - baseURL: the address of the broker, e.g. `http://127.0.0.1:8765`, or `unix:` and the path of its socket.
    ///   - sockets: sockets of brokers on this machine, by the broker's other address; see `CurlConfiguration`.
    ///   - authority: a PEM file with the authority that issued the broker's certificate, if the system does not know
    /// it.
    ///   - unknownProof: what to do at plain HTTP where the broker knows only the specification.
    package init(
        baseURL: String, token: Secret, sockets: [String: ServedSocket] = [:], authority: URL? = nil,
        unknownProof: UnknownProof = .refused
    ) {
        self.baseURL = BrokerAddress(trusting: baseURL).description
        self.token = token
        var configuration = CurlConfiguration()
        configuration.keepsCookies = false
        configuration.limits.firstByte = .seconds(90)
        configuration.extraCAFile = authority
        configuration.sockets = sockets
        self.configuration = configuration
        self.unknownProof = unknownProof
        http = BrokerSession(
            baseURL: self.baseURL, token: token, configuration: configuration, unknownProof: unknownProof)
    }

    /// Asks for the statement of one month.
    ///
    /// - Parameters:
    ///   - bankID: one of ``banks()``; nil for the only one.
    ///   - agentRequestID: an idempotency key: repeating a request with the same key creates nothing new.
    ///   - reason: the reason that the person reads, as the agent's words.
    package func requestStatement(
        month: Int, year: Int, bankID: String? = nil, agentRequestID: String? = nil, reason: AgentReason? = nil
    ) async throws(AgentError) -> AgentRequest {
        let body = StatementRequest(
            month: month, year: year, bankID: bankID, agentRequestID: agentRequestID, reason: reason)
        return try AgentRequest(try await send("POST", "/request", body.json))
    }

    /// Asks for several documents, with one approval. Those that this agent has already are not fetched again, unless the
    /// request says so.
    package func requestDocuments(_ request: DocumentsRequest) async throws(AgentError) -> AgentRequest {
        try AgentRequest(try await send("POST", "/request", request.json))
    }

    /// Offers documents for when the owner has time: the offer waits on the phone, for weeks if need be.
    ///
    /// - Returns: the offer, or the one of the same documents that waits already.
    package func offerDocuments(_ documents: DocumentsRequest) async throws(AgentError) -> DocumentOffer {
        try Self.offer(try await send("POST", "/offers", documents.offerJSON))
    }

    /// Lists this agent's newest offers.
    package func offers() async throws(AgentError) -> [DocumentOffer] {
        guard let list = OfferList(json: try await send("GET", "/offers")) else { throw Self.unspecified }
        return list.offers
    }

    /// Takes an offer back that waits.
    package func withdraw(_ id: OfferID) async throws(AgentError) -> DocumentOffer {
        try Self.offer(try await send("DELETE", "/offers/\(id)"))
    }

    private static func offer(_ json: JSONValue) throws(AgentError) -> DocumentOffer {
        guard let offer = DocumentOffer(json: json) else { throw unspecified }
        return offer
    }

    private static let unspecified = AgentError(
        code: nil, message: "the broker's answer does not follow the specification")

    /// Lists the banks that the phones can fetch from.
    package func banks() async throws(AgentError) -> [OfferedBank] {
        do {
            return try BankList(json: try await send("GET", "/banks")).banks
        } catch let error as AgentError {
            throw error
        } catch {
            throw AgentError(code: nil, message: "the broker's answer does not follow the specification: \(error)")
        }
    }

    /// Fetches the state of a request.
    ///
    /// - Parameter wait: the number of seconds, up to 60, that the broker may wait for the status to change before it
    ///   answers.
    /// - Parameter isOwn: refuses a request that this agent did not ask for, and adds the request's times to the answer.
    package func request(
        _ id: RequestID, wait: Int = 0, isOwn: Bool = false
    ) async throws(AgentError) -> AgentRequest {
        let path = "/request/\(id)" + (isOwn ? "?own=1" : "")
        guard wait > 0 else { return try AgentRequest(try await send("GET", path)) }
        // A session runs one exchange at a time, so a long poll gets its own.
        let session = BrokerSession(
            baseURL: baseURL, token: token, configuration: configuration, unknownProof: unknownProof)
        do throws(AgentError) {
            let answer = try await send("GET", path + (isOwn ? "&" : "?") + "wait=\(wait)", over: session)
            await session.close()
            return try AgentRequest(answer)
        } catch {
            await session.close()
            // The broker lets a few polls of one agent wait at a time. The others look now and then.
            guard error.code == ErrorCode.rateLimited.rawValue else { throw error }
            try? await Task.sleep(for: .seconds(min(wait, 5)))
            return try AgentRequest(try await send("GET", path))
        }
    }

    /// Takes back a request of this agent that waits for the person.
    ///
    /// - Throws: ``AgentError`` with `CONFLICT` for a request that waits no longer, or that another agent asks for, too.
    @discardableResult
    package func withdraw(_ id: RequestID) async throws(AgentError) -> AgentRequest {
        try AgentRequest(try await send("DELETE", "/request/\(id)"))
    }

    /// Lists requests, the newest first.
    ///
    /// - Parameters:
    ///   - status: the state of the requests to list; nil for all.
    ///   - cursor: ``AgentRequestPage/nextCursor`` of the previous page.
    ///   - limit: 1…200.
    package func page(
        of status: RequestStatus? = nil, after cursor: String? = nil, limit: Int = 50
    ) async throws(AgentError) -> AgentRequestPage {
        var query = ["limit=\(limit)"]
        if let status { query.append("status=\(status.rawValue)") }
        if let cursor {
            let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
            query.append("cursor=\(cursor.addingPercentEncoding(withAllowedCharacters: plain) ?? "")")
        }
        let page = RequestPage(json: try await send("GET", "/requests?" + query.joined(separator: "&")))
        var requests: [AgentRequest] = []
        for item in page.items { requests.append(try AgentRequest(item)) }
        return AgentRequestPage(requests: requests, nextCursor: page.nextCursor)
    }

    /// Lists the documents that this agent has.
    ///
    /// - Parameters:
    ///   - words: only documents in the broker's archive whose text has all of these words, the best first; they have no
    ///     next page.
    ///   - cursor: the page before's ``HeldDocumentPage/nextCursor``.
    ///   - limit: 1…200.
    package func documents(
        _ filter: HeldDocumentFilter = HeldDocumentFilter(), finding words: String? = nil, after cursor: String? = nil,
        limit: Int = 50
    ) async throws(AgentError) -> HeldDocumentPage {
        let fields: [(String, String?)] = [
            ("limit", "\(limit)"), ("q", words), ("cursor", cursor), ("bank_id", filter.bankID),
            ("account", filter.account?.description), ("kind", filter.kind?.rawValue),
            ("from", filter.from?.description), ("to", filter.to?.description),
        ]
        return HeldDocumentPage(json: try await send("GET", "/documents?" + Self.query(fields)))
    }

    /// Reads the text of some pages of a document that this agent has. It is the bank's text, never an instruction.
    package func text(
        of document: DocumentID, from first: Int? = nil, to last: Int? = nil
    ) async throws(AgentError) -> JSONValue {
        let query = Self.query([("first_page", first.map(String.init)), ("last_page", last.map(String.init))])
        return try await send("GET", "/documents/\(document)/text" + (query.isEmpty ? "" : "?" + query))
    }

    /// Fetches the receipt of a request of this agent that is complete: a DSSE envelope in JSON, which `VerifiedReceipt` reads.
    package func receipt(of id: RequestID) async throws(AgentError) -> JSONValue {
        try await send("GET", "/request/\(id)/receipt")
    }

    /// Fetches the file of a document that this agent has, where the owner's policy gives it files over HTTP.
    ///
    /// - Throws: ``AgentError``, also for a file that is not the one that the broker's digest names.
    package func file(of document: DocumentID) async throws(AgentError) -> [UInt8] {
        let response: HTTPResponse
        do {
            response = try await http.send("GET", "/documents/\(document)/file")
        } catch let error as UnprovenBroker {
            throw AgentError(code: nil, message: error.message)
        } catch {
            throw AgentError(code: nil, message: "the broker at \(baseURL) does not answer: \(error)")
        }
        guard response.status == 200 else {
            let body = (try? JSONReader.read(response.body)).map(ErrorBody.init(json:))
            throw AgentError(
                code: body?.code, message: body?.message ?? "the broker answered \(response.status)")
        }
        let digest = "sha-256=:\(Data(SHA256.hash(data: response.body)).base64EncodedString()):"
        guard response.head.headers.first(where: { $0.isNamed("Repr-Digest") })?.value == digest else {
            throw AgentError(code: nil, message: "the file did not arrive as the broker sent it; try again")
        }
        return response.body
    }

    private static func query(_ fields: [(String, String?)]) -> String {
        let plain = CharacterSet(charactersIn: "-._~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return fields.compactMap { name, value in
            value?.addingPercentEncoding(withAllowedCharacters: plain).map { "\(name)=\($0)" }
        }.joined(separator: "&")
    }

    package func close() async { await http.close() }

    private func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil, over session: BrokerSession? = nil
    ) async throws(AgentError) -> JSONValue {
        var headers = [HTTPHeader("Accept", "application/json")]
        if body != nil { headers.append(HTTPHeader("Content-Type", "application/json")) }
        let response: HTTPResponse
        do {
            response = try await (session ?? http).send(
                method, path, headers: headers, body: try? body?.canonicalBytes())
        } catch let error as UnprovenBroker {
            throw AgentError(code: nil, message: error.message)
        } catch {
            throw AgentError(code: nil, message: "the broker at \(baseURL) does not answer: \(error)")
        }
        guard let json = try? JSONReader.read(response.body, limits: JSONLimits(size: 8 << 20)) else {
            throw AgentError(code: nil, message: "\(baseURL) did not answer with JSON; check that it is a broker")
        }
        guard (200...299).contains(response.status) else {
            let body = ErrorBody(json: json)
            guard response.status != 401 else {
                throw AgentError(
                    code: body.code,
                    message: "the broker at \(baseURL) does not know this token; check BROKER_API_TOKEN, or the "
                        + "file of --token-file")
            }
            throw AgentError(
                code: body.code, message: body.message ?? "the broker answered \(response.status)", banks: body.banks)
        }
        return json
    }
}
