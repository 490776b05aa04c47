import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Messages
import NIOCore
import Phone
import Secrets
import Signer
import TestServers
import WebServing

import struct Crypto.HMAC
import struct Crypto.SHA256
import struct Crypto.SymmetricKey

/// A fake broker on a loopback port, which can be told to lie.
package actor FakeBroker {
    package enum Lie: Sendable {
        case html, nothing, huge
        case status(Int)
    }

    package struct Post: Sendable {
        package let path: String
        package let body: JSONValue
    }

    package static let token = "phone-token-0123456789"
    package static let secretText = "a shared secret that is long enough for both"

    /// The state of pairing.
    package var pairing = FakePairing()
    package private(set) var posts: [Post] = []
    /// The number of requests for the list.
    package private(set) var heard = 0
    package private(set) var envelopes: [JSONValue] = []
    private var lie: Lie?
    private var answers: [String: [HTTPResponse.Status]] = [:]
    private var standing: RequestStatus?
    private var decisionID: JSONValue?
    private var provesSecret = true
    private var provesToken = true

    package static func secret() throws -> SharedSecret { try SharedSecret(Secret(secretText)) }

    package func offer(_ envelopes: [JSONValue]) { self.envelopes = envelopes }
    package func tell(_ lie: Lie?) { self.lie = lie }
    package func withholdProof() { provesSecret = false }
    /// Knows only the routes of the specification.
    package func forgetAdditions() { (provesSecret, provesToken) = (false, false) }
    /// Sets the answers to the next posts whose path ends in `action`, in this order; later posts get 200 again.
    ///
    /// - Parameter standing: the state of the request that the answers name.
    package func answer(_ action: String, with statuses: [HTTPResponse.Status], standing: RequestStatus? = nil) {
        answers[action] = statuses
        self.standing = standing
    }
    /// Names the approval that counts in the answers that were set; nil names none, as earlier brokers do.
    package func name(_ decisionID: Nonce?) { self.decisionID = decisionID.map { .string($0.description) } }
    private var namesLatest = false
    /// Names the latest decision that arrived as the one that counts.
    package func nameLatest() { namesLatest = true }
    package private(set) var others: [JSONValue] = []
    /// Names other agents in each entry of the list.
    package func name(others: [JSONValue]) { self.others = others }
    package private(set) var otherPhones: [JSONValue] = []
    /// Names other phones with the bank in each entry of the list.
    package func name(otherPhones: [JSONValue]) { self.otherPhones = otherPhones }
    private var offers: [DocumentOffer] = []
    private var offerStatus: HTTPResponse.Status?
    private var opening: JSONValue?
    /// Lists these offers for the phone.
    ///
    /// - Parameter opening: the envelope that the list has once one of them is opened.
    package func list(_ offers: [DocumentOffer], opening: JSONValue? = nil) {
        self.offers = offers
        self.opening = opening
    }
    /// Answers every call about offers with this status; nil answers them.
    package func refuseOffers(with status: HTTPResponse.Status?) { offerStatus = status }
    private func listOffers() -> Response {
        if let offerStatus { return Self.response(["error_message": "told to"], offerStatus) }
        return Self.response(OfferList(offers).json)
    }
    /// Opens an offer, with a request that the list has from now on, or dismisses it.
    private func change(_ id: String, _ action: String, path: String) -> Response {
        posts.append(Post(path: path, body: .null))
        if let offerStatus { return Self.response(["error_message": "told to"], offerStatus) }
        guard let offer = offers.first(where: { $0.id.description == id }) else {
            return Self.response(["error_code": "NOT_FOUND", "error_message": "no offer has that ID"], .notFound)
        }
        offers.removeAll { $0.id == offer.id }
        guard action == "open" else { return Self.response(offer.json) }
        guard case .object(var members) = offer.json, let opening else { return Self.response(offer.json) }
        envelopes.append(opening)
        members["status"] = "OPENED"
        members["request_id"] = opening["request_id"]
        return Self.response(.object(members))
    }
    private var devices: [JSONValue] = []
    /// Lists these devices for the phone.
    package func list(devices: [JSONValue]) { self.devices = devices }
    private func listDevices() -> Response { Self.response(["devices": .array(devices)]) }
    private func remove(_ id: String, _ removal: JSONValue, at path: String) -> Response {
        posts.append(Post(path: path, body: removal))
        devices.removeAll { $0["device_id"]?.stringValue == id }
        return Self.response([:])
    }
    private var clients: JSONValue = ["waiting": [], "allowed": []]
    /// Lists these programs elsewhere for the phone.
    package func list(clients: JSONValue) { self.clients = clients }
    private func listClients() -> Response { Self.response(clients) }
    private func note(_ body: JSONValue, at path: String) -> Response {
        posts.append(Post(path: path, body: body))
        return Self.response([:])
    }
    private var owners: JSONValue?
    private var ownersRefusal: (status: HTTPResponse.Status, words: String)?
    private var ownersIsThere = false
    /// Sets the request that the broker makes of what the owner asks for.
    ///
    /// - Parameter isThere: says that an earlier request has brought everything.
    package func answerOwner(with envelope: JSONValue, isThere: Bool = false) {
        (owners, ownersIsThere) = (envelope, isThere)
    }
    /// Refuses what the owner asks for.
    package func refuseOwner(with status: HTTPResponse.Status, _ words: String) { ownersRefusal = (status, words) }
    private func takeOwners(_ body: JSONValue, at path: String) -> Response {
        posts.append(Post(path: path, body: body))
        if let ownersRefusal {
            return Self.response(
                ["error_code": "INVALID_FIELD", "error_message": .string(ownersRefusal.words)], ownersRefusal.status)
        }
        guard let owners, let id = owners["request_id"] else { return Self.response([:], .notFound) }
        guard !ownersIsThere else { return Self.response(["request_id": id, "status": "COMPLETED"], .accepted) }
        envelopes.append(owners)
        return Self.response(["request_id": id, "status": "PENDING_APPROVAL"], .accepted)
    }
    /// The mark in the list; nil as from an earlier broker, which does not tell of changes.
    package private(set) var mark: String?
    /// The headers of each call that waited for a change.
    package private(set) var waits: [HTTPFields] = []
    /// Says to every phone that waits for a change that there is one.
    package func tellOfChanges() { mark = "a-mark-1" }
    private func tellOfChange(_ request: Request) -> Response {
        waits.append(request.headers)
        guard mark != nil else { return Self.response(["error_code": "NOT_FOUND"], .notFound) }
        return Self.response(["changed": true])
    }
    private var bankAnswers: [HTTPResponse.Status] = []
    private var bankLists: [JSONValue] = []
    /// Sets the answers to the next lists of banks; later lists get 200 again.
    package func answerBanks(with statuses: [HTTPResponse.Status]) { bankAnswers = statuses }
    /// The number of times that the phone has told its banks.
    package func bankListCount() -> Int { bankLists.count }
    /// The list of banks that the phone has told last.
    package func lastBankList() -> JSONValue? { bankLists.last }
    private func takeBanks(_ list: JSONValue) -> Response {
        bankLists.append(list)
        return Response(status: bankAnswers.isEmpty ? .ok : bankAnswers.removeFirst())
    }
    package func actions() -> [String] { posts.map { String($0.path.split(separator: "/").last ?? "") } }

    /// Serves while `body` runs, which gets the base URL; with TLS if there is a certificate.
    package static func serve<Success: Sendable>(
        _ broker: FakeBroker, certificate: LoopbackCertificate? = nil,
        _ body: @escaping @Sendable (URL) async throws -> Success
    ) async throws -> Success {
        let router = Router(context: FakeBrokerContext.self)
        router.get("/phone/requests/pending") { request, _ in await broker.list(request) }
        router.get("/phone/changes") { request, _ in await broker.tellOfChange(request) }
        router.put("/phone/banks") { request, _ in
            let buffer = try await request.body.collect(upTo: 1 << 16)
            return await broker.takeBanks(try JSONReader.read(Data(buffer.readableBytesView)))
        }
        router.get("/phone/offers") { _, _ in await broker.listOffers() }
        router.post("/phone/offers/:id/:action") { request, context in
            try await broker.change(
                context.parameters.require("id"), context.parameters.require("action"), path: request.uri.path)
        }
        router.post("/phone/check") { request, _ in try await broker.check(request) }
        router.post("/proof") { request, context in try await broker.proveToken(request, over: context.ends) }
        router.get("/phone/clients") { _, _ in await broker.listClients() }
        router.post("/phone/clients/:id/:action") { request, _ in
            let buffer = try await request.body.collect(upTo: 1 << 16)
            return await broker.note(try JSONReader.read(Data(buffer.readableBytesView)), at: request.uri.path)
        }
        router.get("/phone/devices") { _, _ in await broker.listDevices() }
        router.post("/phone/devices/:id/remove") { request, context in
            let buffer = try await request.body.collect(upTo: 1 << 16)
            return await broker.remove(
                try context.parameters.require("id"), try JSONReader.read(Data(buffer.readableBytesView)),
                at: request.uri.path)
        }
        router.post("/phone/requests") { request, _ in
            let buffer = try await request.body.collect(upTo: 1 << 16)
            return await broker.takeOwners(try JSONReader.read(Data(buffer.readableBytesView)), at: request.uri.path)
        }
        router.post("/phone/requests/:id/:action") { request, context in
            try await broker.take(request, action: context.parameters.require("action"))
        }
        router.post("/pairing/:session/:step") { request, context in
            try await broker.pair(request, step: context.parameters.require("step"))
        }
        router.post("/phone/device/rotate") { request, _ in try await broker.rotate(request) }
        let server = try HTTPServerBuilder.stoppable(tls: certificate?.tls)
        let scheme = certificate == nil ? "http" : "https"
        return try await LoopbackServer.run(router, by: server) { port in
            try await body(URL(string: "\(scheme)://127.0.0.1:\(port)")!)
        }
    }

    private func list(_ request: Request) -> Response {
        heard += 1
        guard let caller = caller(request) else {
            return Self.response(["error_code": "UNAUTHORIZED", "error_message": "no such token"], .unauthorized)
        }
        switch lie {
        case .html:
            return Response(
                status: .ok, headers: [.contentType: "text/html"],
                body: .init(byteBuffer: .init(string: "<html>hello</html>")))
        case .nothing: return Response(status: .ok)
        case .huge:
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    let chunk = ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 20)
                    for _ in 0..<100 { try await writer.write(chunk) }
                    try await writer.finish(nil)
                })
        case .status(let code):
            return Self.response(["error_code": "X", "error_message": "told to"], .init(code: code))
        case nil: return Self.response(list(for: caller))
        }
    }

    private func take(_ request: Request, action: String) async throws -> Response {
        let buffer = try await request.body.collect(upTo: 1 << 16)
        if action == "again" { return takeOwners(.null, at: request.uri.path) }
        let body = try JSONReader.read(Data(buffer.readableBytesView))
        posts.append(Post(path: request.uri.path, body: body))
        if action == "decision", let answer = decided(body, by: caller(request), on: request.uri.path) { return answer }
        if var statuses = answers[action], !statuses.isEmpty {
            let status = statuses.removeFirst()
            answers[action] = statuses
            var answer: [String: JSONValue] = ["error_code": "TOLD", "error_message": "told to"]
            if let standing { answer["status"] = .string(standing.rawValue) }
            answer["decision_id"] = namesLatest ? body["decision_id"] : decisionID
            return Self.response(.object(answer), status)
        }
        return Self.response([:])
    }

    private func check(_ request: Request) async throws -> Response {
        guard provesSecret else { return Self.response([:], .notFound) }
        let buffer = try await request.body.collect(upTo: 1 << 16)
        let body = try JSONReader.read(Data(buffer.readableBytesView))
        let secret = try Self.secret()
        guard let nonce = (body["nonce"]?.stringValue).flatMap(Nonce.init),
            let signature = body["signature"]?.stringValue,
            SecretProofForTests.isValid(signature, "phone", nonce, secret)
        else { return Self.response(["error_code": "UNAUTHORIZED"], .forbidden) }
        return Self.response(["signature": .string(SecretProofForTests.signature("broker", nonce, secret))])
    }

    private func proveToken(_ request: Request, over ends: ConnectionEnds) async throws -> Response {
        guard provesToken else { return Self.response([:], .notFound) }
        let buffer = try await request.body.collect(upTo: 1 << 16)
        let body = try JSONReader.read(Data(buffer.readableBytesView))
        let tokens = [Secret(Self.token), pairing.device?.credentials.token, pairing.device?.next?.token]
        let proof = tokens.compactMap { $0 }.compactMap { token in
            TokenProofForTests.proof(of: token.revealed(), body, over: ends)
        }.first
        guard let proof else { return Self.response(["error_code": "UNAUTHORIZED"], .unauthorized) }
        return Self.response([
            "address": .string(ends.broker), "client": .string(ends.client), "proof": .string(proof),
        ])
    }

    package static func response(_ json: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: json.compactText())))
    }
}

/// The broker's half of the secret's proof, written from its description and not from the phone's code.
private enum SecretProofForTests {
    static func payload(_ side: String, _ nonce: Nonce) -> [UInt8] {
        Array(#"{"nonce":"\#(nonce)","side":"\#(side)"}"#.utf8)
    }

    static func signature(_ side: String, _ nonce: Nonce, _ secret: SharedSecret) -> String {
        secret.signature(of: payload(side, nonce))
    }

    static func isValid(_ signature: String, _ side: String, _ nonce: Nonce, _ secret: SharedSecret) -> Bool {
        secret.isValid(signature, for: payload(side, nonce))
    }
}

/// The broker's proof that it knows a token, written from its description and not from the client's code.
private enum TokenProofForTests {
    /// Returns nil when the body names another token.
    static func proof(of token: String, _ body: JSONValue, over ends: ConnectionEnds) -> String? {
        let key = SymmetricKey(data: Array(SHA256.hash(data: Data(token.utf8))))
        func sign(_ text: String) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
        }
        guard let nonce = body["nonce"]?.stringValue,
            body["token_id"]?.stringValue == Base64URL.encode(Array(sign("countersign token name 1").prefix(16)))
        else { return nil }
        let (address, client) = (ends.broker, ends.client)
        return Base64URL.encode(
            sign(
                #"{"address":"\#(address)","client":"\#(client)","nonce":"\#(nonce)","#
                    + #""purpose":"countersign broker proof"}"#))
    }
}

/// The two ends of a connection, as the fake broker sees them.
private struct ConnectionEnds {
    let broker: String
    let client: String
}

/// Knows over which connection the client reached the fake broker.
private struct FakeBrokerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let ends: ConnectionEnds

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        ends = ConnectionEnds(
            broker: "127.0.0.1:\(source.channel.localAddress?.port ?? 0)",
            client: "127.0.0.1:\(source.channel.remoteAddress?.port ?? 0)")
    }
}
