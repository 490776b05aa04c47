import CurlClient
import Encodings
import Machine
import Messages
import Secrets
import Signer
import Synchronization

/// The program at the broker's address did not prove that it is the broker. It was not sent the token.
package struct UnprovenBroker: Error, Sendable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}

/// The rule for a program at plain HTTP that does not know the question for a proof. A broker that knows only
/// the specification is such a program, and so is any other one.
package enum UnknownProof: Sendable {
    /// The program gets no token.
    case refused
    /// The program gets the token, because the person has said so. The closure is called before it does, once for each
    /// session, to warn or to audit.
    case trusted(@Sendable () async -> Void)
}

/// HTTP to one broker with one token, which only the broker gets.
///
/// TLS shows who answers. At a Unix socket the system names the user who serves it, and nothing is sent to a program of
/// another user. Without either, another user of the machine may listen at the broker's port while the broker is down, so
/// this session asks for a ``TokenProof`` first. It sends the token only over the connection that the proof came
/// over: a program that answers on another one has to prove anew.
package final class BrokerSession: Sendable {
    /// The number of times that a connection may end between its proof and the request.
    private static let attempts = 3
    private static let proofLimits = JSONLimits(depth: 8, size: 64 << 10)

    private struct State {
        var http: CurlSession
        /// The connection that the last proof came over.
        var proven: HTTPConnection?
        /// The broker has proved before that it knows the question, so a program that does not is another one.
        var knowsProof = false
        /// The program has been trusted without a proof in this session.
        var isTrusted = false
    }

    private let baseURL: String
    /// The broker's socket; nil for a broker without one.
    private let socket: ServedSocket?
    private let token: Secret?
    private let isProofNeeded: Bool
    private let unknownProof: UnknownProof
    private let state: Mutex<State>

    /// - Parameters:
    ///   - baseURL: the broker's address, with or without a slash at the end, or `unix:` and the path of its socket. A broker
    ///     that `configuration` knows a socket of is asked there while the socket is there.
    ///   - token: nil for a device that the broker does not know yet; then nothing has to be proved.
    ///   - unknownProof: what to do where the broker knows only the specification.
    package init(
        baseURL: String, token: Secret?, configuration: CurlConfiguration, unknownProof: UnknownProof = .refused
    ) {
        let address = BrokerAddress(trusting: baseURL)
        self.baseURL = address.description
        socket =
            switch address {
            case .socket(let socket): socket
            case .web(let url): configuration.sockets[url]
            }
        self.token = token
        isProofNeeded = token != nil && !baseURL.lowercased().hasPrefix("https:")
        self.unknownProof = unknownProof
        state = Mutex(State(http: CurlSession(configuration)))
    }

    /// Makes one exchange. If the broker refuses to prove anything, e.g. because it does not know the token (401) or
    /// limits its rate (429), the result is that refusal.
    ///
    /// - Parameters:
    ///   - path: with its query, e.g. `/requests?limit=50`.
    ///   - headers: those besides `Authorization`.
    /// - Throws: ``UnprovenBroker``, or `CurlError`.
    package func send(
        _ method: String, _ path: String, headers: [HTTPHeader] = [], body: [UInt8]? = nil
    ) async throws -> HTTPResponse {
        // Without a body, libcurl sends such a request on a connection of its own.
        let body = body ?? (method == "GET" ? nil : [])
        var headers = headers
        if let token { headers.append(HTTPHeader("Authorization", "Bearer \(token.revealed())")) }
        if let socket {
            let local = HTTPRequest(method, Self.localURL + path, headers: headers, body: body)
            if baseURL.hasPrefix(BrokerAddress.socketPrefix) { return try await send(local, over: socket) }
            if let answer = try await answer(to: local, ifServed: socket) { return answer }
        }
        var request = HTTPRequest(method, baseURL + path, headers: headers, body: body)
        guard let token, isProofNeeded else { return try await state.withLock(\.http).send(request) }
        for _ in 1...Self.attempts {
            let http = state.withLock(\.http)
            let connection: HTTPConnection
            switch try await provenConnection(over: http, knowing: token) {
            case .refused(let answer): return answer
            case .trusted: return try await http.send(request)
            case .proven(let proven): connection = proven
            }
            request.connection = connection
            if let response = try await Self.answer(to: request, over: http) { return response }
            forget(connection)
        }
        throw UnprovenBroker(
            message:
                "the program at \(baseURL) closes each connection after it has proved that it is the broker, so that "
                + "it is not sent the token")
    }

    /// The base of the URLs of requests over a socket. The broker answers to this name on each machine.
    private static let localURL = "http://localhost"

    /// Returns nil where no program listens at the socket: a broker of an earlier version has none, and a killed one leaves it.
    /// Where another user serves it, as a household's owner does for root, nothing is sent there either, and the program at the
    /// port is asked for its proof.
    private func answer(to request: HTTPRequest, ifServed socket: ServedSocket) async throws -> HTTPResponse? {
        guard socket.isThere else { return nil }
        var request = request
        request.socket = socket
        do throws(CurlError) {
            return try await state.withLock(\.http).send(request)
        } catch {
            guard error.code == .couldNotConnect || error.code == .foreignServer else { throw error }
            return nil
        }
    }

    private func send(_ request: HTTPRequest, over socket: ServedSocket) async throws -> HTTPResponse {
        var request = request
        request.socket = socket
        do throws(CurlError) {
            return try await state.withLock(\.http).send(request)
        } catch {
            guard error.code == .foreignServer else { throw error }
            leaveConnections()
            throw UnprovenBroker(message: error.message)
        }
    }

    /// Returns nil when the request's connection has ended before it.
    private static func answer(to request: HTTPRequest, over http: CurlSession) async throws -> HTTPResponse? {
        do throws(CurlError) {
            return try await http.send(request)
        } catch {
            guard error.code == .otherConnection else { throw error }
            return nil
        }
    }

    package func close() async {
        await state.withLock(\.http).close()
    }

    private enum Verdict {
        case proven(HTTPConnection)
        /// The program knows no proofs, and the person trusts it without one.
        case trusted
        /// The broker has answered something else, which is for the caller to understand.
        case refused(HTTPResponse)
    }

    private func provenConnection(over http: CurlSession, knowing token: Secret) async throws -> Verdict {
        let (known, isTrusted) = state.withLock { ($0.proven, $0.isTrusted) }
        if let known { return .proven(known) }
        if isTrusted { return .trusted }
        let secret = TokenProof(token: token)
        let nonce = Nonce()
        let answer = try await http.send(
            HTTPRequest(
                "POST", baseURL + "/proof",
                headers: [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Accept", "application/json")],
                body: TokenCheck(tokenID: secret.tokenID, nonce: nonce).json.compactBytes()))
        switch answer.status {
        case 200: break
        case 401, 429, 500...599: return .refused(Self.plain(answer))
        case 404, 405:
            guard case .trusted(let note) = unknownProof, !state.withLock(\.knowsProof) else { fallthrough }
            await note()
            state.withLock { $0.isTrusted = true }
            return .trusted
        default:
            throw distrust(
                "it answered \(answer.status) to the question for a proof; a broker of an earlier version does so too, "
                    + "and one that knows only the specification: see --trust-unproven-broker")
        }
        guard let json = try? JSONReader.read(answer.body, limits: Self.proofLimits),
            let proof = TokenCheckAnswer(json: json), let connection = answer.head.connection,
            secret.isValid(proof.proof, of: nonce, at: proof.address, for: proof.client)
        else { throw distrust("its proof is not one") }
        guard proof.address == connection.peer else {
            throw distrust(
                "the broker was reached at \(proof.address), so another program stands in between; for a tunnel or a "
                    + "container, use TLS, or the same address and port at both ends")
        }
        guard proof.client == connection.local else {
            throw distrust(
                "the broker was asked from \(proof.client), and this program asked from \(connection.local), so another "
                    + "program stands in between; where a network changes the sender's address, use TLS")
        }
        state.withLock { state in
            state.proven = connection
            state.knowsProof = true
        }
        return .proven(connection)
    }

    /// Returns a refusal without the words of a program that has not proved anything: they could speak to an assistant as
    /// if they were the broker's.
    private static func plain(_ refusal: HTTPResponse) -> HTTPResponse {
        let (code, message): (ErrorCode, String) =
            switch refusal.status {
            case 401: (.unauthorized, "the broker does not know this token")
            case 429: (.rateLimited, "the broker is rate-limiting this client; try again in a minute")
            default:
                (.internalError, "the broker answered \(refusal.status) to the question for a proof; look at its log")
            }
        var head = refusal.head
        head.headers = head.headers.filter { header in
            header.isNamed("Retry-After") && header.value.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        return HTTPResponse(head: head, body: ErrorBody(code: code, message: message).json.compactBytes())
    }

    private func forget(_ connection: HTTPConnection) {
        state.withLock { if $0.proven == connection { $0.proven = nil } }
    }

    /// Leaves the connections behind: another program may hold them open.
    private func leaveConnections() {
        state.withLock { state in
            state.http = CurlSession(state.http.configuration)
            state.proven = nil
        }
    }

    private func distrust(_ reason: String) -> UnprovenBroker {
        leaveConnections()
        return UnprovenBroker(
            message:
                "the program at \(baseURL) did not prove that it is your broker, so it was not sent the token: \(reason)"
        )
    }
}
