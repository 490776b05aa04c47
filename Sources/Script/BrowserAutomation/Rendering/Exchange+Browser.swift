import Automation
import Clocks
import CurlClient
import Encodings
import Foundation
import HTMLEngine

extension Exchange {
    /// Reads an exchange of the browser, without bodies (WebDriver BiDi, section 7.5.3.5).
    init(completed details: JSONValue) {
        let (request, response) = (details["request"], details["response"])
        let times = request?["timings"]
        func after(_ name: String) -> Duration {
            guard let begin = times?["requestTime"]?.numberValue, let at = times?[name]?.numberValue, at > begin else {
                return .zero
            }
            // No exchange takes a day, and a `Duration` cannot hold every number.
            return .milliseconds(min(at - begin, 86_400_000))
        }
        self.init(
            startedAt: Date(timeIntervalSinceNow: -after("responseEnd").seconds),
            method: request?["method"]?.stringValue ?? "GET", url: request?["url"]?.stringValue ?? "",
            requestHeaders: Self.headers(request), requestBody: nil,
            status: response?["status"]?.intValue ?? 0,
            version: Self.version(response?["protocol"]?.stringValue ?? ""),
            responseHeaders: Self.headers(response), responseBody: nil,
            responseBytes: response?["bodySize"]?.intValue ?? response?["content"]?["size"]?.intValue ?? 0,
            timings: HTTPTimings(
                connected: after("connectEnd"), firstByte: after("responseStart"), total: after("responseEnd")))
    }

    private static func headers(_ part: JSONValue?) -> [HTTPHeader] {
        (part?["headers"]?.arrayValue ?? []).compactMap { header in
            guard let name = header["name"]?.stringValue, let value = header["value"]?["value"]?.stringValue else {
                return nil
            }
            return HTTPHeader(name, value)
        }
    }

    /// `1.1` of `http/1.1`, and `2` of `h2`.
    private static func version(_ name: String) -> String {
        String(name.lowercased().drop { !$0.isNumber })
    }
}

extension ConsoleMessage {
    /// The event of a message (WebDriver BiDi, section 7.7).
    static let event = "log.entryAdded"

    /// Reads a warning or an error; nil for every other message and event.
    init?(_ event: BiDiConnection.Event) {
        guard event.method == Self.event else { return nil }
        let details = event.parameters
        let level: Level
        switch details["level"]?.stringValue {
        case "error": level = .error
        case "warn": level = .warning
        default: return nil
        }
        let frame = details["stackTrace"]?["callFrames"]?.arrayValue?.first
        let place = frame?["url"]?.stringValue.map { url in
            url + (frame?["lineNumber"]?.intValue.map { ":\($0 + 1)" } ?? "")
        }
        self.init(level: level, text: details["text"]?.stringValue ?? "", place: place)
    }
}
