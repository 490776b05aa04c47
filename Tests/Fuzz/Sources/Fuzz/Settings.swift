import Foundation

@testable import AssistantJobs
@testable import AssistantProcesses
@testable import AssistantStore
@testable import WebURL

/// Reads environment variables, one a line, as the assistant's processes do. Nothing that names a file is passed on.
func fuzzSettings(_ input: [UInt8]) {
    var environment: [String: String] = [:]
    for line in String(decoding: input, as: UTF8.self).split(separator: "\n").prefix(16) {
        let halves = line.split(separator: "=", maxSplits: 1)
        if halves.count == 2, !halves[0].hasSuffix("_FILE") { environment[String(halves[0])] = String(halves[1]) }
    }
    var reader = SettingsReader(environment)
    let number = reader.whole("ASSISTANT_PORT", in: 1...65_535, otherwise: 8770)
    promise((1...65_535).contains(number), "a number is in its range")
    let google = GoogleSettings(&reader)
    let origins = PushOrigins(&reader)
    guard (try? reader.finish()) != nil else { return }
    if let endpoints = google?.endpoints {
        for address in [endpoints.authorization, endpoints.token, endpoints.revocation, endpoints.api] {
            promise(isSafe(address), "tokens travel over TLS, or stay on this machine: \(address)")
        }
    }
    if environment["WEBPUSH_ORIGINS"] == nil {
        promise(!origins.allows("https://elsewhere.example"), "without a list the known services count")
    }
}

/// Judges an address with the parser that browsers agree with, where it reads the address at all.
private func isSafe(_ address: String) -> Bool {
    guard let url = try? URLRecord(parsing: address), let host = url.host else {
        return ["https:", "http://localhost", "http://127.", "http://[::1]"].contains { address.hasPrefix($0) }
    }
    return url.scheme == "https" || url.scheme == "http" && host.isLoopback
}

/// Reads the address of a PostgreSQL database.
func fuzzPostgresAddress(_ input: [UInt8]) {
    let uri = String(decoding: input, as: UTF8.self)
    let address: PostgresAddress
    do throws(AssistantStoreError) {
        address = try PostgresAddress(uri, password: nil)
    } catch {
        promise(uri.utf8.count < 8 || !"\(error)".contains(uri), "a refusal does not repeat the address")
        return
    }
    func values(_ name: String) -> [String] { address.parameters.filter { $0.name == name }.map(\.value) }
    promise(Set(address.parameters.map(\.name)).count == address.parameters.count, "each parameter is given once")
    promise(values("password").isEmpty && values("sslpassword").isEmpty, "no password is in an address")
    promise(values("connect_timeout").count == 1, "a connection has a time limit")
    let places = (values("host") + values("hostaddr")).flatMap { $0.split(separator: ",") }
    let isLocal = places.allSatisfy { place in
        place.hasPrefix("/") || place.hasPrefix("@") || ["localhost", "127.0.0.1", "::1"].contains(place)
    }
    promise(
        isLocal || values("sslmode").allSatisfy { $0.hasPrefix("verify-") } && !values("sslmode").isEmpty,
        "a connection that leaves the machine verifies who answers: \(address.parameters)")
}
