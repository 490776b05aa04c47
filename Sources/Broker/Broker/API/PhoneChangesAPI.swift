import Encodings
import Hummingbird
import Messages

/// The route by which phones wait for something new. Their mark takes the place of the token; see ``PhoneChanges``. It
/// cannot be guessed, so the route does not ask under which host name it was called.
struct PhoneChangesAPI: Sendable {
    let changes: PhoneChanges
    let registry: DeviceRegistry
    let polls: WaitingPolls<String>
    let limits: RateLimits

    func addRoute(to router: some RouterMethods<BrokerContext>) {
        router.get("phone/changes") { request, context in try await wait(QueryFields(request), context.door) }
    }

    private func wait(_ query: QueryFields, _ door: RateLimits.Door) async throws -> Response {
        guard let mark = (try? query.text("after")).flatMap({ ChangeMark($0) }),
            let device = changes.device(of: mark), try await registry.isDevice(device)
        else {
            try limits.countStranger(at: door)
            guard try query.text("after") != nil else { throw APIError.missing("after") }
            throw APIError(
                .notFound, .notFound, "this mark is too old, or no mark of this broker's; fetch the list again")
        }
        try limits.admit(.phone(device))
        let seconds = try query.whole("wait", in: 0...60) ?? 0
        if seconds > 0 { try polls.enter(device, for: seconds) }
        defer { if seconds > 0 { polls.leave(device) } }
        return .json(["changed": .bool(await changes.change(after: mark, atMost: .seconds(seconds)))])
    }
}
