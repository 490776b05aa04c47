import CurlClient
import TestParties
import Testing

/// The place to which an answer leads a browser, where the page tells of a change.
struct ToldPlace {
    /// Its path below the browser's folder, such as `/banks?changed=4711`.
    let path: String
    let number: Int

    init(_ answer: HTTPResponse, in browser: PageBrowser) throws {
        let location = try #require(answer.header("Location"))
        try #require(location.hasPrefix(browser.base + "/"), "\(location)")
        path = String(location.dropFirst(browser.base.count).prefix { $0 != "#" })
        number = try #require(path.split(separator: "=").last.flatMap { Int($0) }, "\(location)")
    }
}
