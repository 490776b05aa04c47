import ApprovalPage
import ArgumentParser
import Foundation
import PhoneStore
import Terminal

/// The way to a household from other devices: to its approval page, or to a broker that has its phone on another machine.
struct HouseholdReachOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Serve the page under this host name on all networks, with a certificate of the household's own authority, now \
            and at later starts; none ends that. With --broker-only: the broker, under a host name or an IP address.
            """, valueName: "name"))
    var hostName: String?

    @Option(
        help: ArgumentHelp(
            """
            A proxy on this machine serves the page, or with --broker-only the broker, at this https address, now and at \
            later starts; none ends that.
            """, valueName: "origin"))
    var behindProxy: String?

    /// True when one of the options is there.
    var isGiven: Bool { hostName != nil || behindProxy != nil }

    /// Checks the options for the page, or for a broker that has its phone elsewhere.
    ///
    /// - Throws: `ValidationError`.
    func check(forBroker: Bool) throws {
        let (name, proxy) = (Self.kept(hostName), Self.kept(behindProxy))
        guard name == nil || proxy == nil else {
            throw ValidationError(
                "give either --host-name or --behind-proxy; a proxy brings the name and the certificate with it")
        }
        if let name, name == "localhost" {
            throw ValidationError(
                "localhost is this machine itself, and needs no certificate; for \(forBroker ? "a broker" : "the page") on "
                    + "this machine alone, give --host-name none")
        }
        do {
            if let name, forBroker {
                guard !Self.isForMany(name) else {
                    throw ValidationError(
                        "\(name) is not the address of one machine, so no phone can connect to it. The broker answers on all "
                            + "networks anyway; give this machine's name or its own address, such as broker.home or 192.168.1.20"
                    )
                }
                guard Self.isHost(name) else {
                    throw ValidationError("\(name) is not a host name in lower case, nor an IP address")
                }
            } else if let name {
                try PageServerConfiguration(
                    hostName: name, address: PageServerConfiguration.everyNetwork, security: .ownAuthority
                ).check()
            }
            if let proxy {
                let origin = try ProxyOrigin(proxy)
                // Only passkeys need a name.
                guard !forBroker else { return }
                try PageServerConfiguration(hostName: origin.hostName, security: .behindProxy(origin)).check()
            }
        } catch let error as PhoneError {
            throw ValidationError(error.message)
        }
    }

    /// A broker can be reached by an address: phones pin its certificate, whatever name is in it.
    private static func isHost(_ text: String) -> Bool {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1 { return true }
        let label = /[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?/
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253 && labels.allSatisfy { $0.wholeMatch(of: label) != nil }
            && !(labels.last?.allSatisfy(\.isNumber) ?? true)
    }

    /// True for an IP address that stands for all networks, or for many machines: a server can listen on it, but a phone
    /// cannot connect to it (RFC 6890, RFC 5771).
    private static func isForMany(_ text: String) -> Bool {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 { return isForMany(withUnsafeBytes(of: four) { Array($0) }) }
        guard inet_pton(AF_INET6, text, &six) == 1 else { return false }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        // An IPv4 address inside an IPv6 address (RFC 4291, section 2.5.5.2).
        if bytes.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF]) {
            return isForMany(Array(bytes.suffix(4)))
        }
        return bytes[0] == 0xFF || bytes.allSatisfy { $0 == 0 }
    }

    private static func isForMany(_ four: [UInt8]) -> Bool { four[0] == 0 || four[0] >= 224 }

    /// Keeps the choice in the household's file. A host name ends a proxy, and a proxy ends a host name.
    func remember(in household: inout HouseholdFile) throws {
        guard isGiven else { return }
        let isPage = household.phone != nil
        var name = isPage ? household.phone?.pageHost : household.broker?.hostName
        var proxy = isPage ? household.phone?.proxiedPage : household.broker?.proxied
        if let hostName {
            name = Self.kept(hostName)
            if name != nil { proxy = nil }
        }
        if let behindProxy {
            proxy = Self.kept(behindProxy)
            if proxy != nil { name = nil }
        }
        if isPage {
            household.phone?.pageHost = name
            household.phone?.proxiedPage = proxy
        } else {
            household.broker?.hostName = name
            household.broker?.proxied = proxy
        }
        try household.write(to: HouseholdFile.place())
    }

    /// Returns what `phone serve` is told about it.
    static func arguments(for phone: HouseholdFile.Phone) -> [String] {
        if let origin = phone.proxiedPage { return ["--behind-proxy", origin] }
        guard let name = phone.pageHost else { return [] }
        return ["--tls", "--host-name", name, "--address", PageServerConfiguration.everyNetwork]
    }

    private static func kept(_ value: String?) -> String? { value == "none" ? nil : value }
}
