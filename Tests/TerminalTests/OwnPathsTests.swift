import Foundation
import Secrets
import Testing

@testable import Terminal

@Suite("A person's own paths")
struct OwnPathsTests {
    @Test("stay whole where a bank's user name is that of the machine, and the name goes from everything else")
    func homes() {
        let name = "u\(UUID().uuidString.prefix(8).lowercased())"
        let home = "/home/\(name)"
        withExtendedLifetime(Secret(name)) {
            #expect(
                OwnPaths.redact("Statements of \(name) are in \(home)/Documents/\(name)", home: home)
                    == "Statements of ••• are in \(home)/Documents/•••")
            #expect(OwnPaths.redact("\(name) at /home/other", home: "/home/other") == "••• at /home/other")
            #expect(OwnPaths.redact(name, home: "/") == "•••")
        }
    }
}
