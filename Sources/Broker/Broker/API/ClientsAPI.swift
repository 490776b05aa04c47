import BrokerStore
import Clocks
import DeviceTrust
import Encodings
import Hummingbird
import Logging
import Messages

/// The phone's routes on which its owner allows programs elsewhere to ask as agents, and takes their rights away.
struct ClientsAPI: Sendable {
    let clients: ClientStore
    let server: ServerID
    let phoneChanges: PhoneChanges
    let clock: BrokerClock
    let logger: Logger

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.get("phone/clients") { _, context in
            _ = try context.caller()
            return Response.json(try await clients.list().json)
        }
        router.post("phone/clients/:client/allow") { request, context in
            try await allow(try Self.askID(context), try await request.json(), by: try context.caller())
        }
        router.post("phone/clients/:client/deny") { _, context in
            try await deny(try Self.askID(context), by: try context.caller())
        }
        router.post("phone/clients/:client/remove") { _, context in
            try await remove(context.parameters.get("client") ?? "", by: try context.caller())
        }
    }

    private static func askID(_ context: BrokerContext) throws(APIError) -> Messages.RequestID {
        guard let id = context.parameters.get("client").flatMap({ Messages.RequestID($0) }) else { throw over }
        return id
    }

    private static let over = APIError(
        .notFound, .notFound, "no program waits for this answer any more; begin again at the program")

    private func allow(_ id: Messages.RequestID, _ body: JSONValue, by caller: CallingDevice) async throws -> Response {
        let permission: ClientPermission
        do throws(TrustError) {
            permission = try ClientPermission(
                body: body, for: id, by: caller.paired.map { ($0.id, $0.publicKey) }, server: server, at: clock.now)
        } catch {
            let isForged = error.code == .badSignature
            if isForged { try await clients.recordRefusal(of: id, by: caller.name, error.message) }
            throw APIError(
                isForged ? .forbidden : .badRequest, isForged ? .signatureInvalid : .invalidField, error.message)
        }
        let number = TokenDigest(of: ClientNumber.canonical(permission.number).utf8)
        switch try await clients.allow(
            id, clientID: permission.clientID, returnsTo: permission.returnsTo, number: number, as: permission.agent,
            limits: permission.limits, by: caller.name)
        {
        case .allowed:
            logger.warning(
                "program allowed", metadata: ["agent": "\(permission.agent)", "device": "\(caller.name)"])
            phoneChanges.announce()
            return .json(["agent": .string(permission.agent.description)])
        case .wrongNumber(let left):
            throw APIError(
                .badRequest, .invalidField,
                left > 0
                    ? "the number is not the one that the browser shows; \(left.counted("try is", "tries are")) left"
                    : "the number was wrong too often; begin again at the program")
        case .nameTaken:
            throw APIError.conflict("an agent is called “\(permission.agent)” already; choose another name")
        case .nameUsed:
            throw APIError.conflict(
                "an agent that was called “\(permission.agent)” has asked for documents, offered them or has a schedule, "
                    + "which this program could then read; choose another name")
        case .otherClient:
            throw APIError.conflict("another program asks than the one that was shown; look again")
        case .over: throw Self.over
        }
    }

    private func deny(_ id: Messages.RequestID, by caller: CallingDevice) async throws -> Response {
        guard try await clients.deny(id, by: caller.name) else { throw Self.over }
        phoneChanges.announce()
        return .json([:])
    }

    private func remove(_ name: String, by caller: CallingDevice) async throws -> Response {
        guard let agent = AgentName(name), try await clients.remove(agent, by: caller.name) else {
            throw APIError(.notFound, .notFound, "no program elsewhere has this name")
        }
        logger.warning("program removed", metadata: ["agent": "\(agent)", "device": "\(caller.name)"])
        return .json([:])
    }
}
