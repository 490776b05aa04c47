import Hummingbird
import JSON
import Messages

/// The route by which phones wait for something new. Their mark takes the place of the token; see
/// ``PhoneChanges``.
struct PhoneChangesAPI: Sendable {
    let changes: PhoneChanges
    let polls: WaitingPolls<String>
    let limits: RateLimits

    func addRoute(to router: some RouterMethods<BrokerContext>) {
        router.get("phone/changes") { request, _ in try await wait(QueryFields(request)) }
    }

    private func wait(_ query: QueryFields) async throws -> Response {
        guard let mark = try query.text("after").flatMap({ ChangeMark($0) }), let device = changes.device(of: mark)
        else { try limits.refuseStranger() }
        try limits.admit(.phone(device))
        let seconds = try query.whole("wait", in: 0...60) ?? 0
        if seconds > 0 { try polls.enter(device, for: seconds) }
        defer { if seconds > 0 { polls.leave(device) } }
        return .json(["changed": .bool(await changes.change(after: mark, atMost: .seconds(seconds)))])
    }
}
