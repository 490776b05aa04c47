import AssistantJobs
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird
import Secrets

/// The devices to which notices go (specification, section 7.2), and the browsers.
struct DeviceAPI: Sendable {
    let devices: DeviceStore
    let keys: StateKeys
    /// The public key to which browsers subscribe.
    let webPushKey: String
    let pushOrigins: PushOrigins
    let clock: BrokerClock

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.post("v1/devices/apns") { request, context in
            try await register(RequestFields(request), try context.signedIn().userID)
        }
        router.get("v1/devices/webpush/key") { _, _ in
            Response.json(["public_key": .string(webPushKey)])
        }
        router.post("v1/devices/webpush") { request, context in
            try await subscribe(RequestFields(request), try context.signedIn().userID)
        }
        router.get("v1/devices") { _, context in
            let stored = try await devices.devices(of: try context.signedIn().userID)
            return Response.json(["items": .array(stored.map(Self.json))])
        }
        router.delete("v1/devices/:device_id") { _, context in
            let id = context.parameters.get("device_id").flatMap { String($0).removingPercentEncoding } ?? ""
            guard !id.utf8.contains(0), try await devices.remove(id, of: try context.signedIn().userID) else {
                throw AssistantError(.notFound, .deviceNotFound, "you have no device with this device_id")
            }
            return Response.ok
        }
    }

    private func register(_ fields: RequestFields, _ userID: UUID) async throws -> Response {
        let deviceID = try fields.deviceID()
        let token = try fields.text("apns_token", atMost: 400)
        guard token.wholeMatch(of: /([0-9A-Fa-f]{2}){32,200}/) != nil else {
            throw AssistantError.invalid("apns_token", "must be 64 to 400 hexadecimal digits")
        }
        guard let environment = StoredDevice.Environment(rawValue: try fields.text("environment", atMost: 32)) else {
            throw AssistantError.invalid("environment", "must be sandbox or production")
        }
        let sealed = try keys.seal(Secret(token), as: PushAddress.binding(userID, deviceID))
        try await devices.put(
            deviceID, of: userID, .apns, environment, sealedToken: sealed,
            addressDigest: keys.digest(token.lowercased(), for: "push address"), at: clock.now)
        return .ok
    }

    private func subscribe(_ fields: RequestFields, _ userID: UUID) async throws -> Response {
        let deviceID = try fields.deviceID()
        let subscription: BrowserSubscription
        do {
            subscription = try BrowserSubscription(try fields.object("subscription"), at: pushOrigins)
        } catch let refusal as SubscriptionRefusal {
            throw AssistantError.invalid("subscription", "cannot be used: \(refusal)")
        }
        let sealed = try keys.seal(subscription.kept, as: PushAddress.binding(userID, deviceID))
        // Browsers have no sandbox.
        try await devices.put(
            deviceID, of: userID, .webpush, .production, sealedToken: sealed,
            addressDigest: keys.digest(subscription.address, for: "push address"), at: clock.now)
        return .ok
    }

    static func json(_ device: StoredDevice) -> JSONValue {
        [
            "device_id": .string(device.deviceID), "channel": .string(device.channel.rawValue),
            "environment": .string(device.environment.rawValue),
            "created_at": .string(Timestamp(device.createdAt).description),
            "updated_at": .string(Timestamp(device.updatedAt).description),
        ]
    }
}
