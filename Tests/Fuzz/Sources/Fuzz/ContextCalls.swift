import Foundation

@testable import Broker
@testable import BrokerClient
@testable import BrokerCommands
@testable import Encodings
@testable import Messages
@testable import Secrets
@testable import Terminal

private let agent = AgentClient(
    baseURL: "unix:/nonexistent/broker.sock", token: Secret("a token that reaches no broker"))

/// Answers a message of a program elsewhere (Model Context Protocol over HTTP): lines of headers, an empty line, and the body.
///
/// No broker listens, so a tool has nothing to give: what is seen is how a message is taken.
func fuzzContextCall(_ input: [UInt8]) {
    let (headers, body) = parts(of: input)
    let message = (try? JSONReader.read(body, limits: JSONLimits(size: 1 << 20))).map { json in
        Result { () throws(RPCError) in try RPCMessage(json) }
    }
    // Its stream has no end.
    if case .success(.request(_, "subscriptions/listen", _)) = message { return }
    let call = RemoteCall(agent: AgentName("fuzzer")!, endsAt: Date() + 60, body: body, headers: headers)
    let answer = waiting {
        await HTTPTransport(client: agent, page: nil, answered: AnsweredAddresses()).answer(call)
    }
    switch (message, answer) {
    case (.success(.notification), .accepted), (.success(.response), .accepted): return
    case (.success(.request(let id, let method, let params)), .message(let status, let bytes)):
        let json = checked(bytes, status)
        let isRefused = json["error"] != nil
        promise(json["id"] == id || isRefused && json["id"] == nil, "an answer is to its request")
        let named = params["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.stringValue
        if let named, headers["mcp-protocol-version"] != named {
            promise(isRefused && status == 400, "a header and its message say the same version")
        }
        if named == ProtocolVersion.stateless.rawValue, headers["mcp-method"] != method {
            promise(isRefused && status == 400, "a header and its message say the same method")
        }
    case (.success(.request), .stream): return
    case (nil, .message(let status, let bytes)), (.failure, .message(let status, let bytes)):
        let json = checked(bytes, status)
        promise(json["error"] != nil && json["id"] == nil && status == 400, "everything else is refused")
    default: fatalError("broken: an answer that does not fit its message: \(answer)")
    }
}

/// Reads an answer, which is one message of JSON-RPC.
private func checked(_ bytes: [UInt8], _ status: Int) -> JSONValue {
    guard let json = try? JSONReader.read(bytes, limits: JSONLimits(size: 1 << 26)) else {
        fatalError("broken: an answer is JSON")
    }
    promise([200, 400, 404].contains(status), "an answer has a status of the protocol: \(status)")
    promise(json["jsonrpc"] == "2.0", "an answer is of JSON-RPC 2.0")
    promise((json["result"] == nil) != (json["error"] == nil), "an answer has a result or an error")
    promise(json["error"].map { $0["code"]?.intValue != nil } ?? true, "an error has a code")
    return json
}

private func parts(of input: [UInt8]) -> (headers: [String: String], body: [UInt8]) {
    var headers: [String: String] = [:]
    var rest = input[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest = rest[rest.index(after: end)...]
        guard let mark = line.firstIndex(of: ":") else { break }
        let value = line[line.index(after: mark)...].drop { $0 == " " }
        headers[line[..<mark].lowercased()] = String(value)
    }
    return (headers, Array(rest))
}
