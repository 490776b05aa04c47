import Foundation
import Synchronization

@testable import Automation
@testable import BrowserAutomation
@testable import Encodings
@testable import HTMLEngine
@testable import WebURL

private let bank = try! Origin(parsing: "https://bank.example")
private let test = try! Origin(parsing: "http://127.0.0.1:8080")

/// Reads the head of a request to the browser's proxy.
func fuzzProxyRequest(_ input: [UInt8]) {
    let head = input + Array("\r\n\r\n".utf8)
    if case .allowed(let place) = ProxyDestination.read(head, EgressPolicy(origins: [bank])) {
        promise(place.host == "bank.example" && place.port == 443, "the proxy leads to the bank: \(place.host)")
        promise(place.isTunnel && place.head == nil, "in a tunnel")
    }
    let policy = EgressPolicy(origins: [bank, test], allowsLoopbackHTTP: true)
    guard case .allowed(let place) = ProxyDestination.read(head, policy) else { return }
    promise(
        [["bank.example", "443"], ["127.0.0.1", "8080"]].contains([place.host, "\(place.port)"]),
        "a test's policy leads to two places: \(place.host)")
    guard let sent = place.head else { return promise(place.isTunnel, "a plain request has a head") }
    promise(place.host == "127.0.0.1" && !place.isTunnel, "plain requests stay on this machine")
    // A lenient server ends a line at any line feed.
    let lines = String(decoding: sent, as: UTF8.self).unicodeScalars.split(
        separator: "\n", omittingEmptySubsequences: false
    )
    .map { String(String.UnicodeScalarView($0)).trimmingCharacters(in: ["\r", " ", "\t"]) }
    promise(lines.suffix(2) == ["", ""] && !lines.dropLast(2).contains(""), "one head is sent: \(lines)")
    let target = lines[0].split(separator: " ")
    promise(target.count == 3 && target[1].hasPrefix("/"), "a request names a path: \(lines[0])")
    let named = lines.filter { line in
        let name = line.prefix { $0 != ":" }.trimmingCharacters(in: [" ", "\t"]).lowercased()
        return ["connection", "proxy-connection", "keep-alive"].contains(name)
    }
    promise(named == ["Connection: close"], "a connection carries one request: \(lines)")
}

/// Feeds messages of WebDriver BiDi, one a line, to what reads the browser's events.
func fuzzBrowserEvents(_ input: [UInt8]) {
    let exchanges = Mutex<[Exchange]>([])
    let activity = PageActivity { exchange in exchanges.withLock { $0.append(exchange) } }
    let recorder = VisitRecorder()
    let actions = recorder.begin { _ in }
    var completed = 0
    var heard = 0
    for line in input.split(separator: UInt8(ascii: "\n")).prefix(16) {
        guard let json = try? JSONReader.read(Array(line)), let method = json["method"]?.stringValue else { continue }
        let event = BiDiConnection.Event(method: method, parameters: json["params"] ?? .null)
        activity.hear(event)
        recorder.hear(event)
        heard += 1
        if method == "network.responseCompleted" { completed += 1 }
        if let message = ConsoleMessage(event) { promise(method == ConsoleMessage.event, "a message: \(message)") }
    }
    recorder.end()
    promise(activity.version == heard, "every event counts")
    let state = activity.read { ($0.windows.values.map(\.open.count).reduce(0, +), $0.downloads.count, $0.origins) }
    promise(state.0 <= heard && state.1 <= heard, "an event opens one request, or one download")
    for origin in state.2 { promise((try? Origin(parsing: origin))?.description == origin, "an origin: \(origin)") }
    let read = exchanges.withLock { $0 }
    promise(read.count == completed, "every completed exchange is noted")
    for timings in read.map(\.timings) {
        promise([timings.connected, timings.firstByte, timings.total].allSatisfy { $0 >= .zero }, "time goes on")
    }
    let all = waiting {
        var all: [(hasPage: Bool, isDownload: Bool)] = []
        for await action in actions {
            if case .download = action.kind {
                all.append((action.page != nil, true))
            } else {
                all.append((action.page != nil, false))
            }
        }
        return all
    }
    promise(all.count <= heard && all.allSatisfy { $0.hasPage != $0.isDownload }, "an action has its page")
}
