import Authoring
import CurlClient
import Foundation
import HTMLEngine

/// A recording of pages that a test has written.
enum MadeRecording {
    static func of(_ pages: [String]) -> HTTPArchive {
        HTTPArchive(
            pages.enumerated().map { number, html in
                Exchange(
                    startedAt: Date(timeIntervalSince1970: Double(number)), method: "GET",
                    url: "https://bank.example/\(number)", requestHeaders: [], requestBody: nil, status: 200,
                    version: "1.1", responseHeaders: [HTTPHeader("Content-Type", "text/html; charset=utf-8")],
                    responseBody: Array(html.utf8), responseBytes: html.utf8.count,
                    timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
            })
    }

    static let list = """
        <!doctype html><title>Statements</title><h1>Statements</h1>
        <form action="/x" method="post"><label>Year <select name="year"><option>2025<option>2026</select></label>
        <label>Username <input name="u"></label><label>Password <input type="password" name="p"></label>
        <button>Show</button></form>
        <table><tr><td>January 2026</td><td><a href="/1">PDF</a></td></tr>
        <tr><td>February 2026</td><td><a href="/2">PDF</a></td></tr></table><a href="/next">Next</a>
        """

    static func script(_ steps: String, head: String = "") -> String {
        "bank: mine\nname: Mine\norigins: [https://bank.example]\n" + head + "steps:\n"
            + steps.split(separator: "\n").map { "  \($0)\n" }.joined()
    }
}
