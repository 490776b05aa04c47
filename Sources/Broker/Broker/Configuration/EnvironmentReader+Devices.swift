import BrokerStore
import DeviceTrust
import Foundation
import Machine
import Secrets
import Signer

/// The variables about the devices that approve.
extension EnvironmentReader {
    /// Reads `BROKER_HOST`.
    var host: String { value(.host) ?? BrokerSetting.host.standard ?? "" }

    var isLoopback: Bool { ["127.0.0.1", "localhost", "::1"].contains(host) }

    /// Reads `BROKER_SOCKET`.
    mutating func socket() -> ServedSocket? {
        guard let text = value(.socket) else { return nil }
        let path = BrokerConfiguration.expanded(text, environment)
        guard path.hasPrefix("/"), !path.hasSuffix("/") else {
            report("BROKER_SOCKET is “\(text)”; it must be a whole path such as /run/countersign/broker.sock")
            return nil
        }
        let socket = ServedSocket(URL(filePath: path).standardizedFileURL)
        guard socket.hasRoom else {
            report("BROKER_SOCKET: \(socket.lackOfRoom)")
            return nil
        }
        return socket
    }

    /// Reads `PHONE_API_TOKEN` and `BROKER_PHONE_SHARED_SECRET`, unless `BROKER_DEFAULT_DEVICE` is off.
    mutating func defaultDevice() -> DefaultDevice? {
        guard isOn(.defaultDevice) else { return nil }
        let token = secret(.phoneToken)
        let key = secret(.sharedSecret)
        guard let token, let key, let shared = try? SharedSecret(key) else { return nil }
        return DefaultDevice(token: token, secret: shared)
    }

    /// Reads `BROKER_SEALING_SECRET`, else `BROKER_PHONE_SHARED_SECRET`, whose absence ``defaultDevice()`` reports.
    mutating func sealing() -> Sealing? { sealingSecret().map { Sealing($0) } }

    mutating func sealingSecret() -> Secret? {
        let shared = value(.sharedSecret) ?? ""
        let isOff = ["off", "false", "no", "0"].contains(value(.defaultDevice)?.lowercased())
        if isOff || value(.sealingSecret) != nil { return secret(.sealingSecret) }
        return shared.utf8.count < SharedSecret.minimumLength ? nil : Secret(shared)
    }

    /// Reads `BROKER_ENDPOINT`, the address that phones are given.
    mutating func endpoint() -> String? {
        guard let text = value(.endpoint) else { return nil }
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard trimmed.wholeMatch(of: /https?:\/\/[^\/?#@\s]+/) != nil, URL(string: trimmed) != nil else {
            report(
                "BROKER_ENDPOINT is “\(text)”; it must be an address such as https://broker.home:8765, without a path")
            return nil
        }
        return trimmed
    }

    /// The file of `BROKER_POLICY_FILE`.
    var policyFile: URL? {
        guard let path = value(.policyFile) else { return nil }
        return URL(filePath: BrokerConfiguration.expanded(path, environment)).standardizedFileURL
    }

    /// Reads `BROKER_POLICY_FILE` and the file that it names.
    mutating func policy() -> ApprovalPolicy {
        guard let file = policyFile else { return .open }
        guard let text = OpenedFile.text(of: file, atMost: 1 << 20) else {
            report("BROKER_POLICY_FILE is \(file.path), which cannot be read as text")
            return .open
        }
        do {
            return try ApprovalPolicy(yaml: text)
        } catch {
            for problem in error.problems { report("BROKER_POLICY_FILE, \(problem)") }
            return .open
        }
    }
}
