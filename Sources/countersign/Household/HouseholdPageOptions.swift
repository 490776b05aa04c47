import ApprovalPage
import ArgumentParser
import PhoneStore
import Terminal

/// The way to a household's approval page: on this machine alone, behind a proxy, or under a host name.
struct HouseholdPageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Serve the page under this host name on all networks, with a certificate of the household's own authority, now \
            and at later starts; none ends that.
            """, valueName: "name"))
    var hostName: String?

    @Option(
        help: ArgumentHelp(
            "A proxy on this machine serves the page at this https address, now and at later starts; none ends that.",
            valueName: "origin"))
    var behindProxy: String?

    /// True when one of the options is there.
    var isGiven: Bool { hostName != nil || behindProxy != nil }

    func validate() throws {
        let (name, proxy) = (Self.kept(hostName), Self.kept(behindProxy))
        guard name == nil || proxy == nil else {
            throw ValidationError(
                "give either --host-name or --behind-proxy; a proxy brings the name and the certificate with it")
        }
        do {
            if let name {
                guard name != "localhost" else {
                    throw ValidationError(
                        "localhost is this machine itself, and needs no certificate; for the page on this machine alone, "
                            + "give --host-name none")
                }
                try PageServerConfiguration(
                    hostName: name, address: PageServerConfiguration.everyNetwork, security: .ownAuthority
                ).check()
            }
            if let proxy {
                let origin = try ProxyOrigin(proxy)
                try PageServerConfiguration(hostName: origin.hostName, security: .behindProxy(origin)).check()
            }
        } catch let error as PhoneError {
            throw ValidationError(error.message)
        }
    }

    /// Keeps the choice in the household's file. A host name ends a proxy, and a proxy ends a host name.
    func remember(in household: inout HouseholdFile) throws {
        guard isGiven else { return }
        if let hostName {
            household.pageHost = Self.kept(hostName)
            if household.pageHost != nil { household.proxiedPage = nil }
        }
        if let behindProxy {
            household.proxiedPage = Self.kept(behindProxy)
            if household.proxiedPage != nil { household.pageHost = nil }
        }
        try household.write(to: HouseholdFile.place())
    }

    /// Returns what `phone serve` is told about it.
    static func arguments(for household: HouseholdFile) -> [String] {
        if let origin = household.proxiedPage { return ["--behind-proxy", origin] }
        guard let name = household.pageHost else { return [] }
        return ["--tls", "--host-name", name, "--address", PageServerConfiguration.everyNetwork]
    }

    private static func kept(_ value: String?) -> String? { value == "none" ? nil : value }
}
