import Encodings
import Foundation
import Notifications
import Secrets

/// A browser's subscription to push messages, as the browser tells it (Push API, `PushSubscription.toJSON()`).
package struct BrowserSubscription: Sendable {
    let subscription: PushSubscription
    /// The address at which its push service takes messages.
    package var address: String { subscription.endpoint.description }
    /// The text to seal and keep. The address alone lets anyone send to the browser.
    package let kept: Secret

    /// - Throws: ``SubscriptionRefusal``, also when the push service is not one of `origins`.
    package init(_ json: JSONValue, at origins: PushOrigins) throws(SubscriptionRefusal) {
        let texts = [json["endpoint"], json["keys"]?["p256dh"], json["keys"]?["auth"]].map {
            // Some browsers' libraries pad base64url.
            $0?.stringValue.map { String($0.trimmingCharacters(in: ["="])) } ?? ""
        }
        let endpoint = json["endpoint"]?.stringValue ?? ""
        do {
            subscription = try PushSubscription(
                endpoint: endpoint, publicKey: texts[1], authentication: texts[2], mayBePlain: true)
        } catch {
            throw SubscriptionRefusal("\(error)")
        }
        guard origins.allows(subscription.origin) else {
            throw SubscriptionRefusal(
                "the subscription's push service is not allowed here; the operator lists it in WEBPUSH_ORIGINS")
        }
        let members: JSONValue = [
            "endpoint": .string(endpoint), "keys": ["p256dh": .string(texts[1]), "auth": .string(texts[2])],
        ]
        kept = Secret(bytes: members.compactBytes())
    }

    /// Reads a kept subscription.
    init(kept: Secret, at origins: PushOrigins) throws(SubscriptionRefusal) {
        guard let json = try? JSONReader.read(kept.revealed()) else {
            throw SubscriptionRefusal("the subscription is damaged")
        }
        try self.init(json, at: origins)
    }
}

/// A subscription that cannot be used, with the reason.
package struct SubscriptionRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
