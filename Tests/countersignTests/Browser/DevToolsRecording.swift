import Encodings
import Foundation

/// A visit as the Network panel of a browser's developer tools records it in a HAR file.
struct DevToolsRecording {
    private let driver: WebDriver
    /// The exchanges, in the order of the requests.
    private var entries: [JSONValue] = []
    /// The indices in ``entries`` of requests without an answer.
    private var open: [String: Int] = [:]

    init(_ driver: WebDriver) {
        self.driver = driver
    }

    /// Records the new events. Call this before each navigation: a browser then discards the bodies of the last page.
    mutating func takeUp() async throws {
        for record in try await driver.log("performance") {
            guard let text = record["message"]?.stringValue else { continue }
            let message = try JSONReader.read(text)["message"] ?? .null
            let details = message["params"] ?? .null
            guard let id = details["requestId"]?.stringValue else { continue }
            switch message["method"]?.stringValue {
            case "Network.requestWillBeSent":
                if let redirect = details["redirectResponse"] { answer(id, redirect) }
                ask(id, details)
            case "Network.responseReceived": answer(id, details["response"] ?? .null)
            case "Network.loadingFinished": await keepBody(of: id)
            default: break
            }
        }
    }

    var har: JSONValue {
        [
            "log": [
                "version": "1.2", "creator": ["name": "Chromium", "version": "headless"],
                "entries": .array(entries),
            ]
        ]
    }

    private mutating func ask(_ id: String, _ details: JSONValue) {
        let request = details["request"] ?? .null
        let headers = Self.list(request["headers"])
        var asked: [String: JSONValue] = [
            "method": request["method"] ?? "GET", "url": request["url"] ?? "", "httpVersion": "HTTP/1.1",
            "headers": headers, "queryString": [], "cookies": [], "headersSize": -1, "bodySize": -1,
        ]
        if let body = request["postData"]?.stringValue {
            let type = request["headers"]?["Content-Type"] ?? ""
            asked["postData"] = ["mimeType": type, "text": .string(body), "params": []]
        }
        let time = Date(timeIntervalSince1970: details["wallTime"]?.numberValue ?? 0)
        open[id] = entries.count
        entries.append([
            "startedDateTime": .string(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "_resourceType": .string(details["type"]?.stringValue?.lowercased() ?? "other"), "time": 1,
            "request": .object(asked), "response": ["status": 0], "cache": [:],
            "timings": ["send": 0, "wait": 1, "receive": 0],
        ])
    }

    private mutating func answer(_ id: String, _ response: JSONValue) {
        change(id) { entry in
            let headers = response["headers"]?.objectValue ?? [:]
            let target = headers.first { $0.key.lowercased() == "location" }?.value ?? ""
            entry["response"] = [
                "status": response["status"] ?? 0, "statusText": response["statusText"] ?? "",
                "httpVersion": "HTTP/1.1", "headers": Self.list(response["headers"]), "cookies": [],
                "content": ["size": 0, "mimeType": response["mimeType"] ?? ""], "redirectURL": target,
                "headersSize": -1, "bodySize": -1,
            ]
        }
    }

    private mutating func keepBody(of id: String) async {
        guard let body = try? await driver.tell("Network.getResponseBody", ["requestId": .string(id)]),
            let text = body["body"]
        else { return }
        change(id) { entry in
            guard var response = entry["response"]?.objectValue else { return }
            var content = response["content"]?.objectValue ?? [:]
            content["text"] = text
            content["size"] = .number(Double(text.stringValue?.utf8.count ?? 0))
            if body["base64Encoded"] == true { content["encoding"] = "base64" }
            response["content"] = .object(content)
            entry["response"] = .object(response)
        }
    }

    private mutating func change(_ id: String, _ body: (inout [String: JSONValue]) -> Void) {
        guard let index = open[id], var entry = entries[index].objectValue else { return }
        body(&entry)
        entries[index] = .object(entry)
    }

    private static func list(_ headers: JSONValue?) -> JSONValue {
        .array(
            (headers?.objectValue ?? [:]).sorted { $0.key < $1.key }.map {
                ["name": .string($0.key), "value": $0.value]
            })
    }
}
