import Encodings
import Foundation
import TestParties
import TestSupport
import Testing

/// The cost of the first look at the inbox, with a cold cache.
@Suite("The weight of the page in Chromium", .serialized)
struct PageWeightInBrowserTests {
    @Test("the inbox with a card takes at most 6 requests and 60 KB", .needsChromedriver, .timeLimit(.minutes(4)))
    func weight() async throws {
        try await PageStage.with(logs: true) { phone in
            await phone.broker.offer([try phone.envelope()])
        } _: { stage in
            let driver = stage.driver
            try await driver.wait(for: "January 2026")
            _ = try await driver.tell("Network.enable")
            // The worker's own store counts apart: it is filled once, after the page is shown.
            _ = try await driver.tell("Network.setBypassServiceWorker", ["bypass": true])
            _ = try await driver.tell("Network.clearBrowserCache")
            _ = try await driver.log("performance")
            try await stage.open("/")
            try await driver.wait(for: "January 2026")
            let paint = try await driver.wait(
                forResultOf: """
                    const done = arguments[arguments.length - 1];
                    new PerformanceObserver((list) => done(Math.round(list.getEntries()[0].startTime)))
                      .observe({ type: "paint", buffered: true });
                    """)
            let all = try await driver.log("performance").compactMap { entry in
                try JSONReader.read(entry["message"]?.stringValue ?? "")["message"]
            }
            // The icon stands in the page and in the tab: the second is the first one's, from the browser's memory.
            let cached = Set(
                all.filter {
                    $0["method"] == "Network.requestServedFromCache"
                        || $0["params"]?["response"]?["fromDiskCache"] == true
                }.compactMap { $0["params"]?["requestId"]?.stringValue })
            let requests = all.filter { $0["method"] == "Network.requestWillBeSent" }
                .filter { !cached.contains($0["params"]?["requestId"]?.stringValue ?? "") }
                .compactMap { $0["params"]?["request"]?["url"]?.stringValue }
            let bytes = all.filter { $0["method"] == "Network.dataReceived" }.compactMap {
                $0["params"]?["dataLength"]?.intValue
            }.reduce(0, +)
            #expect(requests.count <= 6, "\(requests)")
            #expect(bytes <= 60 << 10, "\(bytes) bytes")
            print("The inbox: \(requests.count) requests, \(bytes) bytes, first paint after \(paint.intValue ?? -1) ms")
        }
    }
}
