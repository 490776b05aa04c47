import BrokerClient
import Foundation
import Machine
import Testing

@Suite("A broker's address")
struct BrokerAddressTests {
    @Test(
        "is a web address, or unix: and the path of a socket",
        arguments: [
            ("http://127.0.0.1:8765", "http://127.0.0.1:8765"), ("http://127.0.0.1:8765/", "http://127.0.0.1:8765"),
            ("https://broker.home:8765", "https://broker.home:8765"),
            ("unix:/run/countersign/broker.sock", "unix:/run/countersign/broker.sock"),
            ("unix:/home/me/my%20data/broker.sock", "unix:/home/me/my%20data/broker.sock"),
            ("unix:/home/me/my data/broker.sock", "unix:/home/me/my%20data/broker.sock"),
        ])
    func read(_ text: String, _ written: String) throws {
        let address = try BrokerAddress(parsing: text)
        #expect(address.description == written)
        #expect(try BrokerAddress(parsing: address.description) == address)
    }

    @Test("of a socket is the file at its path")
    func file() throws {
        let address = try BrokerAddress(parsing: "unix:/home/me/my%20data/broker.sock")
        #expect(address == .socket(ServedSocket(URL(filePath: "/home/me/my data/broker.sock"))))
        #expect(BrokerAddress(socket: URL(filePath: "/home/me/my data/broker.sock")) == address)
    }

    @Test(
        "of another form is refused, with the next step",
        arguments: [
            ("unix:broker.sock", "begins at the root"), ("unix:", "begins at the root"),
            ("unix://host/broker.sock", "begins at the root"), ("unix:/broker.sock?wait=1", "begins at the root"),
            ("unix:/broker.sock#it", "begins at the root"),
            ("unix:/" + String(repeating: "x", count: 200), "too long a path"),
            ("ftp://broker.home", "write one such as http://127.0.0.1:8765"),
            ("broker.home:8765", "did you mean http://broker.home:8765?"), ("", "did you mean"),
        ])
    func refused(_ text: String, _ words: String) {
        let error = #expect(throws: BrokerAddressError.self) { try BrokerAddress(parsing: text) }
        #expect(error?.description.contains(words) == true, "\(error as Any)")
    }
}
