import Foundation

@testable import Broker
@testable import Encodings
@testable import WebURL

/// Reads what a program elsewhere sends to become an agent: an address to return to, a description, and a call's parameters.
func fuzzRemoteProgram(_ input: [UInt8]) {
    let (line, rest) = firstLine(of: input)
    if let address = ReturnAddress(line) { check(address) }
    if let parameters = try? OAuthParameters(line), let text = try? parameters.text("redirect_uri") {
        promise(!text.isEmpty && text.utf8.count <= 2_048, "a parameter keeps to its limit")
    }
    guard let json = try? JSONReader.read(rest), let program = try? ClientDescription(registration: json) else {
        return
    }
    promise((1...10).contains(program.returnAddresses.count), "a program has 1 to 10 addresses")
    promise((try? ClientDescription(ownID: program.id)) == program, "an identifier holds the description")
}

private func check(_ address: ReturnAddress) {
    promise(address.admits(address), "an address admits itself")
    guard let url = try? URLRecord(parsing: address.text) else { fatalError("broken: a browser can read the address") }
    promise(!url.hasCredentials && url.fragment == nil, "an address has neither a user nor a fragment")
    if address.isOfWeb {
        promise(url.host?.description == address.place, "a person reads the host that a browser goes to")
        promise(url.scheme == "https" || url.host?.isLoopback == true, "plain HTTP stays on the machine")
    } else {
        promise(!["javascript", "data", "file", "blob"].contains(url.scheme), "an address runs nothing")
    }
    guard let back = try? URLRecord(parsing: address.with([(name: "code", value: "a b&c#d")])) else {
        fatalError("broken: a browser can return")
    }
    promise(back.host == url.host && back.path == url.path && back.scheme == url.scheme, "it returns to the address")
    promise(back.query?.hasSuffix("code=a%20b%26c%23d") == true, "it brings the code")
}
