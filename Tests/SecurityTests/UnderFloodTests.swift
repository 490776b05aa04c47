import BrokerClient
import CurlClient
import Encodings
import Foundation
import Machine
import Phone
import Secrets
import TestParties
import TestServers
import TestSupport
import Testing

@testable import ApprovalPage
@testable import Broker

@Suite("Servers under a flood, with an owner who works beside it", .timeLimit(.minutes(3)), .serialized)
struct UnderFloodTests {
    /// Makes one call over a connection of its own.
    private static func call(
        _ method: String, _ url: String, _ headers: [(String, String)] = [], body: String? = nil
    ) async throws -> Int {
        let session = CurlSession()
        do {
            let answer = try await session.send(
                HTTPRequest(
                    method, url, headers: headers.map { HTTPHeader($0.0, $0.1) }, body: body.map { Array($0.utf8) }))
            await session.close()
            return answer.status
        } catch {
            await session.close()
            throw error
        }
    }

    private static func expectAnswers(_ outcome: Flood.Outcome) {
        #expect(outcome.failures.isEmpty, "\(outcome.failures.prefix(3))")
        if Flood.isMeasured { #expect(outcome.prompt >= 99, "\(outcome.row)") }
    }

    @Test("a broker answers its agent")
    func broker() async throws {
        try await AttackedBroker().run { broker in
            let (url, http) = (broker.url, CurlSession())
            let wrong = HTTPHeader("Authorization", "Bearer a token that this broker never gave to anyone")
            let json = HTTPHeader("Content-Type", "application/json")
            let flood = Flood(
                "broker",
                [
                    { _ = try await http.send(HTTPRequest("GET", url + "/requests", headers: [wrong])) },
                    {
                        _ = try await http.send(
                            HTTPRequest("POST", url + "/request", headers: [wrong, json], body: Array("{".utf8)))
                    },
                    {
                        _ = try await http.send(
                            HTTPRequest("POST", url + "/proof", headers: [json], body: Array("{\"name\":\"x\"}".utf8)))
                    },
                    {
                        _ = try await http.send(
                            HTTPRequest("POST", url + "/pair/begin", headers: [json], body: Array("{}".utf8)))
                    },
                    { _ = try await http.send(HTTPRequest("GET", url + "/phone/requests/pending", headers: [wrong])) },
                    { _ = try await Self.call("GET", url + "/healthz") },
                ])
            let outcome = await flood.beside { number in
                if number.isMultiple(of: 10) {
                    let asked = try await broker.ask(month: 1 + number / 10 % 9)
                    return asked.status == 202 ? nil : "a request was answered \(asked)"
                }
                guard number.isMultiple(of: 4) else {
                    let answer = try await broker.send("GET", "/requests")
                    return answer.status == 200 ? nil : "the list was answered \(answer.status) \(answer.json)"
                }
                let status = try await Self.call(
                    "GET", url + "/requests", [("Authorization", "Bearer \(AttackedBroker.agentToken)")])
                return status == 200 ? nil : "a call on a new connection was answered \(status)"
            }
            await http.close()
            Self.expectAnswers(outcome)
        }
    }

    @Test("a broker answers its own user at its socket, while strangers take what its port has")
    func socket() async throws {
        let folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "flood-\(UUID().uuidString.prefix(8))")
        let file = folder.appending("own/broker.sock")
        let attacked = try AttackedBroker()
        var configuration = try attacked.configuration
        configuration.socket = ServedSocket(file)
        // Few enough that the strangers hold all of them.
        configuration.limits.connections = 16
        try await attacked.run(configuration) { broker in
            let (url, http) = (broker.url, CurlSession())
            let port = try #require(URL(string: url)?.port)
            let json = HTTPHeader("Content-Type", "application/json")
            let wrong = HTTPHeader("Authorization", "Bearer a token that this broker never gave to anyone")
            let flood = Flood(
                "own socket",
                [
                    {
                        let silent = try LoopbackSocket.connected(to: port)
                        try? await Task.sleep(for: .milliseconds(200))
                        close(silent)
                    },
                    { _ = try await http.send(HTTPRequest("GET", url + "/requests", headers: [wrong])) },
                    {
                        _ = try await http.send(
                            HTTPRequest("POST", url + "/proof", headers: [json], body: Array("x".utf8)))
                    },
                ])
            let outcome = await flood.beside { number in
                // A connection of its own, as each command has.
                let agent = AgentClient(baseURL: "unix:\(file.path)", token: Secret(AttackedBroker.agentToken))
                let phone = PhoneBrokerClient(
                    baseURL: URL(string: "unix:\(file.path)")!, token: Secret(AttackedBroker.phoneToken))
                let trouble: String?
                do {
                    if number.isMultiple(of: 2) { _ = try await agent.banks() } else { _ = try await phone.pending() }
                    trouble = nil
                } catch {
                    trouble = "\(error)"
                }
                await agent.close()
                await phone.close()
                return trouble
            }
            await http.close()
            Self.expectAnswers(outcome)
        }
    }

    @Test("the approval page answers its owner")
    func page() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                _ = try await browser.signIn()
                let (origin, http) = (browser.origin, CurlSession())
                let form = ("Content-Type", "application/x-www-form-urlencoded")
                let flood = Flood(
                    "approval page",
                    [
                        {
                            _ = try await http.send(
                                HTTPRequest(
                                    "POST", origin + "/",
                                    headers: [HTTPHeader(form.0, form.1), HTTPHeader("Origin", origin)],
                                    body: Array("code=wrong".utf8)))
                        },
                        { _ = try await http.send(HTTPRequest("GET", origin + "/")) },
                        { _ = try await http.send(HTTPRequest("GET", origin + browser.base + "/documents")) },
                        { _ = try await http.send(HTTPRequest("GET", origin + "/page.js")) },
                        {
                            _ = try await http.send(
                                HTTPRequest(
                                    "POST", origin + browser.base + "/sign-in",
                                    headers: [HTTPHeader(form.0, form.1), HTTPHeader("Origin", origin)],
                                    body: Array("csrf=x&passphrase=wrong".utf8)))
                        },
                        { _ = try await Self.call("GET", origin + "/style.css") },
                    ])
                let outcome = await flood.beside { number in
                    let path = ["/", "/documents", "/settings"][number % 3]
                    let answer = try await browser.get(path)
                    guard answer.status == 200 else { return "\(path) was answered \(answer.status)" }
                    return String(decoding: answer.body, as: UTF8.self).contains("Sign out")
                        ? nil : "\(path) was the page of a stranger"
                }
                await http.close()
                Self.expectAnswers(outcome)
            }
        }
    }
}
