import Encodings

/// A session at an interface of its own kind: the bank's answer names the page for the owner's yes, and gives the session for the
/// code that the browser brings back.
///
///     exchange:
///       redirect: $redirect_url
///       lasts: 90 days
///       ask: [request: { POST: /auth, body: { redirect: { captured: redirect }, state: { captured: state }, until: "{{ until }}" } }]
///       page: $.url
///       redeem: [request: { POST: /sessions, body: { code: { captured: code } } }]
///
/// The answer to the last step of ``redeem`` is kept, sealed. It is the latest JSON answer when a run begins.
public struct OwnersSession: Sendable, Hashable {
    /// The steps that ask the bank for a page. They know ``state``, ``redirect`` and ``until``.
    public var ask: [Step]
    /// A JSONPath that finds the address of the page in the answer to the last step of ``ask``.
    public var page: String
    /// The address to which the page leads back. Nil for a free port of this machine.
    public var redirect: Value?
    /// The days for which the owner says yes, which `{{ until }}` counts from now.
    public var days: Int
    /// The steps that give the code away. They know ``code``, too.
    public var redeem: [Step]

    public init(ask: [Step], page: String, redirect: Value? = nil, days: Int, redeem: [Step]) {
        self.ask = ask
        self.page = page
        self.redirect = redirect
        self.days = days
        self.redeem = redeem
    }

    public static func == (one: OwnersSession, other: OwnersSession) -> Bool { one.json == other.json }

    public func hash(into hasher: inout Hasher) { hasher.combine(json) }

    /// The capture of the random text that the browser has to bring back.
    package static let stateName = "state"
    /// The capture of the address to which the browser comes back.
    package static let redirectName = "redirect"
    /// The value of templates that is the end of the consent to ask for, a date and time in UTC (RFC 3339).
    package static let untilName = "until"
    /// The capture of the code that the browser brought. It is secret.
    package static let codeName = "code"

    package var steps: [Step] { ask + redeem }

    /// The steps that may stand in it: an exchange has neither pages nor documents.
    package static let stepNames = ["capture", "expect", "fail", "request", "wait until"]
}

extension OwnersSession {
    /// The session under the digest.
    var json: JSONValue {
        .members([
            "ask": .array(ask.map(\.json)), "page": .string(page), "redirect": redirect?.json,
            "days": .number(Double(days)), "redeem": .array(redeem.map(\.json)),
        ])
    }
}
