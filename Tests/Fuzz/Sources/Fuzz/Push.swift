import Foundation

@testable import AssistantJobs
@testable import AssistantProcesses
@testable import Encodings
@testable import Notifications
@testable import Secrets
@testable import WebURL

private let now = Date(timeIntervalSince1970: 1_780_000_000)
private let known = {
    var reader = SettingsReader([:])
    return PushOrigins(&reader)
}()

/// Reads a browser's subscription to messages as JSON, and the header of a push service that is rate-limiting.
func fuzzSubscription(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let seconds = RetryAfter.seconds(text, at: now) {
        promise((0...86_400).contains(seconds), "a pause lasts a day at most: \(seconds)")
    }
    guard let json = try? JSONReader.read(input) else { return }
    if let reason = json["reason"]?.stringValue.flatMap(APNsReason.init(rawValue:)) { _ = reason.consequence }
    guard let subscription = try? BrowserSubscription(json, at: known) else { return }
    // The address is read a second time, by the parser that browsers agree with.
    guard let url = try? URLRecord(parsing: subscription.address), url.scheme == "https", !url.hasCredentials,
        let host = url.host?.description
    else { fatalError("broken: messages are sent over TLS: \(subscription.address)") }
    let isKnown =
        ["fcm.googleapis.com", "updates.push.services.mozilla.com"].contains(host)
        || host.hasSuffix(".push.apple.com") || host.hasSuffix(".notify.windows.com")
    promise(isKnown, "messages are sent to known services alone: \(host) of \(subscription.address)")
    guard let again = try? BrowserSubscription(kept: subscription.kept, at: known) else {
        fatalError("broken: a kept subscription is read")
    }
    promise(again.address == subscription.address, "a kept subscription stays the same")
    promise(again.kept.isEqual(to: subscription.kept), "in every byte")
}
