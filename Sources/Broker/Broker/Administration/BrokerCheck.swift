import BrokerClient
import BrokerStore
import Clocks
import CurlClient
import Encodings
import Foundation
import Machine
import Messages
import Notifications
import Secrets
import Signer

/// Checks a running broker from outside, with the configuration that it was started with.
package struct BrokerCheck: Sendable {
    /// The result of one check.
    package struct Finding: Sendable, Hashable {
        /// The part of the broker that was checked.
        package enum Subject: Sendable, Hashable {
            case health, port, socket, credentials, inbox, telegram
            /// A channel that was plugged in, by its name.
            case channel(String)
        }

        package let subject: Subject
        package let isGood: Bool
        package let text: String
    }

    private let configuration: BrokerConfiguration
    private let authority: URL?
    private let channels: [NamedChannel]

    /// - Parameters:
    ///   - authority: a PEM file with the authority of the broker's certificate.
    ///   - channels: the channels that the broker was started with.
    package init(_ configuration: BrokerConfiguration, authority: URL? = nil, channels: [NamedChannel] = []) {
        self.configuration = configuration
        self.authority = authority
        self.channels = channels
    }

    /// Runs every check once. Checks that need a token are skipped when the broker does not answer.
    package func findings() async -> [Finding] {
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.limits.connect = .seconds(5)
        curl.limits.whole = .seconds(10)
        // The broker's own certificate is self-signed.
        curl.extraCAFile = authority ?? (configuration.usesOwnCertificate ? configuration.certificateFile : nil)
        let (place, health) = await self.health(curl)
        var findings = [health]
        if health.isGood {
            let token = await agentToken(at: place, curl)
            // Of a token that the broker does not know, no program at the port could prove anything.
            if place != address, token.isGood { findings.append(await port(curl)) }
            findings.append(token)
            if let socket = configuration.socket, !socket.isThere {
                findings.append(
                    Finding(
                        subject: .socket, isGood: false,
                        text: "the broker does not answer at its socket, which is not there: \(socket.file.path)"))
            }
            if let device = configuration.defaultDevice {
                findings.append(await sharedSecret(of: device, at: place, curl))
            }
        }
        findings.append(inbox())
        for channel in configuration.channels {
            findings.append(await Self.finding(channel, .telegram))
            await (channel.channel as? any ListeningChannel)?.close()
        }
        for channel in channels { findings.append(await Self.finding(channel)) }
        return findings
    }

    /// - Parameter known: the subject of a channel that is built in; nil for one that was plugged in.
    private static func finding(_ channel: NamedChannel, _ known: Finding.Subject? = nil) async -> Finding {
        let (isGood, text) = await words(of: channel)
        return known.map { Finding(subject: $0, isGood: isGood, text: text) }
            ?? Finding(subject: .channel(channel.name), isGood: isGood, text: "\(channel.name): \(text)")
    }

    private static func words(of channel: NamedChannel) async -> (isGood: Bool, text: String) {
        do {
            let words = try await callingOut(atMost: .seconds(15), on: SystemClock()) {
                try await channel.channel.check()
            }
            return (true, words)
        } catch is TimeLimitExceeded {
            return (false, "it did not answer within 15 s")
        } catch {
            return (false, "\(error)")
        }
    }

    private var address: String {
        // A broker that listens on every address listens on this one.
        let host = ["0.0.0.0", "::"].contains(configuration.host) ? "localhost" : configuration.host
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(configuration.scheme)://\(name):\(configuration.port)"
    }

    /// Asks the broker at its socket, and where none answers there, at its address.
    ///
    /// - Returns: the place that the finding is about, too.
    private func health(_ curl: CurlConfiguration) async -> (place: String, finding: Finding) {
        if let socket = configuration.socket, socket.isThere {
            let place = BrokerAddress(socket: socket.file).description
            // A broker that was killed leaves its socket, and that of another user is not asked.
            if let finding = try? await health(at: place, curl) { return (place, finding) }
        }
        do {
            return (address, try await health(at: address, curl))
        } catch {
            return (
                address, Finding(subject: .health, isGood: false, text: "no broker answers at \(address): \(error)")
            )
        }
    }

    private func health(at place: String, _ curl: CurlConfiguration) async throws -> Finding {
        let response = try await send("GET", "/healthz", to: place, with: nil, curl)
        let answer = try? JSONReader.read(response.body)
        guard response.status == 200, answer?["status"] == "ok" else {
            return Finding(
                subject: .health, isGood: false,
                text: "\(place) answers \(response.status) to /healthz; see the broker's log")
        }
        return Finding(subject: .health, isGood: true, text: "the broker and its database answer at \(place)")
    }

    /// Looks whether the broker that answers at its socket also has its port.
    private func port(_ curl: CurlConfiguration) async -> Finding {
        do {
            let response = try await send(
                "GET", "/requests?limit=1", to: address, with: configuration.agentToken, curl)
            guard response.status == 200 else {
                return Finding(
                    subject: .port, isGood: false,
                    text: "a program at \(address) answers \(response.status) and did not prove that it is the broker")
            }
            return Finding(subject: .port, isGood: true, text: "the broker also answers at \(address)")
        } catch {
            return Finding(
                subject: .port, isGood: false,
                text: "the broker does not answer at \(address), but only at its socket: \(error)")
        }
    }

    /// Sends one request with a token, which only a broker that has proved that it knows the token gets.
    private func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil, to place: String, with token: Secret?,
        _ curl: CurlConfiguration
    ) async throws -> HTTPResponse {
        let session = BrokerSession(baseURL: place, token: token, configuration: curl)
        let headers = body == nil ? [] : [HTTPHeader("Content-Type", "application/json")]
        do {
            let response = try await session.send(method, path, headers: headers, body: body?.compactBytes())
            await session.close()
            return response
        } catch {
            await session.close()
            throw error
        }
    }

    private func agentToken(at place: String, _ curl: CurlConfiguration) async -> Finding {
        let status: Int
        do {
            let token = configuration.agentToken
            status = try await send("GET", "/requests?limit=1", to: place, with: token, curl).status
        } catch {
            return Finding(subject: .credentials, isGood: false, text: "the agent's token was not checked: \(error)")
        }
        switch status {
        case 200: return Finding(subject: .credentials, isGood: true, text: "the agent's token matches the broker's")
        case 401, 403:
            return Finding(
                subject: .credentials, isGood: false,
                text: "the agent's token does not match the broker's; was BROKER_API_TOKEN changed since its start?")
        default: return Self.unchecked("the agent's token", status)
        }
    }

    private static func unchecked(_ what: String, _ status: Int) -> Finding {
        let step = status == 429 ? "try again in a minute" : "see the broker's log"
        return Finding(
            subject: .credentials, isGood: false,
            text: "\(what) was not checked: the broker answered \(status); \(step)")
    }

    private func sharedSecret(
        of device: DefaultDevice, at place: String, _ curl: CurlConfiguration
    ) async -> Finding {
        let nonce = Nonce()
        let secret = device.secret
        let body: JSONValue = [
            "nonce": .string(nonce.description),
            "signature": .string(SecretProof.signature(by: .phone, of: nonce, with: secret)),
        ]
        let response: HTTPResponse
        do {
            response = try await send("POST", "/phone/check", body, to: place, with: device.token, curl)
        } catch {
            return Finding(
                subject: .credentials, isGood: false,
                text: "the phone's token and the shared secret were not checked: \(error)")
        }
        let proof = (try? JSONReader.read(response.body))?["signature"]?.stringValue
        if let proof, SecretProof.isValid(proof, by: .broker, of: nonce, with: secret) {
            return Finding(
                subject: .credentials, isGood: true, text: "the phone's token and the shared secret match the broker's")
        }
        if response.status == 401, await isOff() {
            return Finding(
                subject: .credentials, isGood: true,
                text: "the default device is switched off, so that the phone's token is not checked; to use it: "
                    + "countersign devices default on")
        }
        guard [200, 401, 403].contains(response.status) else {
            return Self.unchecked("the shared secret", response.status)
        }
        let credential = response.status == 401 ? "phone's token" : "shared secret"
        return Finding(
            subject: .credentials, isGood: false,
            text: "the \(credential) does not match the broker's; was it changed since its start?")
    }

    /// True when the broker's database says that the default device is off.
    private func isOff() async -> Bool {
        guard let database = try? BrokerDatabase(administering: configuration.database, clock: BrokerClock()) else {
            return false
        }
        return (try? await database.devices.isDefaultDeviceOn()) == false
    }

    private func inbox() -> Finding {
        let probe = configuration.inbox.appending(path: ".countersign-check-\(UUID().uuidString.prefix(8)).tmp")
        do {
            try AtomicFile.write([], to: probe)
            unlink(probe.path)
            return Finding(subject: .inbox, isGood: true, text: "the inbox \(configuration.inbox.path) is writable")
        } catch {
            return Finding(subject: .inbox, isGood: false, text: "the inbox is not writable: \(error)")
        }
    }
}
