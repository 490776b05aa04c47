import DeviceTrust
import Encodings
import Foundation
import Secrets
import Testing

@Suite("A pairing code")
struct PairingCodeTests {
    @Test("is read in the form on the screen and in every spelling that a person may type")
    func spellings() throws {
        for text in ["17-01AB-CDEF", "17-oIab-cdef", "17-0lAB CDEF", " 17 01abcdef ", "17-0-1-A-B-C-D-E-F"] {
            let code = try #require(PairingCode(text))
            #expect(code.session == 17)
            #expect(code.code.revealed() == "01ABCDEF")
            #expect(code.written.revealed() == "17-01AB-CDEF")
        }
    }

    @Test(
        "is refused in any other form",
        arguments: [
            "", "17", "17-", "-01AB-CDEF", "0-01AB-CDEF", "10000-01AB-CDEF", "17-01AB-CDE", "17-01AB-CDEFG",
            "17-U1AB-CDEF", "17-01AB-CDE!", "x-01AB-CDEF", "01ABCDEF", "17:01ABCDEF", "١٧-01AB-CDEF",
            "17-01AB-CDE\u{301}F", String(repeating: "1", count: 100),
        ])
    func refused(text: String) {
        #expect(PairingCode(text) == nil)
    }

    @Test("has forty bits, none of which follows from the others")
    func independentBits() {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        // Codes as vectors over the field of two elements. 256 of them at random span all forty dimensions, but for a
        // probability of 2 to the -216.
        var basis: [UInt64] = []
        for _ in 0..<256 {
            let code = PairingCode(session: 1).code.revealed()
            var bits = code.reduce(UInt64(0)) { $0 << 5 | UInt64(alphabet.firstIndex(of: $1) ?? 0) }
            for vector in basis { bits = min(bits, bits ^ vector) }
            if bits != 0 { basis.append(bits) }
        }
        #expect(basis.count == 40)
    }

    @Test("has forty random bits: a thousand are all different, and every character comes up in every place")
    func random() {
        let codes = (0..<1000).map { _ in PairingCode(session: 1).code.revealed() }
        #expect(Set(codes).count == codes.count)
        for place in 0..<PairingCode.length {
            #expect(Set(codes.map { Array($0)[place] }).count == 32)
        }
    }
}

@Suite("Pairing's payload")
struct PairingPayloadTests {
    @Test("reads back from its URI and from its JSON")
    func texts() throws {
        let payload = try PairingStage().payload
        for text in [payload.uri, payload.json, payload.uri.map { " \($0)\n" }] {
            let read = try PairingPayload(text)
            #expect(read.server == payload.server)
            #expect(read.code.session == 17)
            #expect(read.code.code.isEqual(to: payload.code.code))
            #expect(read.endpoint == payload.endpoint)
            #expect(read.certificate == payload.certificate)
            #expect(read.createdAt == payload.createdAt)
            #expect(read.expiresAt == payload.expiresAt)
        }
        #expect(payload.uri.count < 600)
    }

    @Test(
        "is refused with any member missing, doubled, unknown or of another kind; the message quotes nothing of it",
        arguments: ["v", "id", "key", "code", "session", "at", "from", "until"])
    func members(name: String) throws {
        let payload = try PairingStage().payload
        let uri = payload.uri.revealed()
        let query = uri.dropFirst("countersign://pair?".count).split(separator: "&").map(String.init)
        let pair = try #require(query.first { $0.hasPrefix("\(name)=") })
        let rest = query.filter { $0 != pair }
        let bad = [
            rest, query + [pair], rest + ["\(name)=X%00Y"], rest + ["\(name)"], query + ["more=1"],
            rest + ["\(name)=%"],
        ]
        for query in bad {
            let text = Secret("countersign://pair?" + query.joined(separator: "&"))
            let error = #expect(throws: TrustError.self) { try PairingPayload(text) }
            #expect(error?.message.contains(payload.code.code.revealed()) == false)
        }
    }

    @Test(
        "names the member whose value is empty or has a sign too many",
        arguments: [
            ("id", "", "server_id"), ("id", "a=b", "server_id"), ("session", "", "session"),
            ("session", "1=7", "session"),
            ("key", "", "server_pubkey"),
        ])
    func values(name: String, value: String, member: String) throws {
        let query = try PairingStage().payload.uri.revealed().dropFirst("countersign://pair?".count)
        let pairs = query.split(separator: "&").map { $0.hasPrefix("\(name)=") ? "\(name)=\(value)" : String($0) }
        let text = Secret("countersign://pair?" + pairs.joined(separator: "&"))
        let error = #expect(throws: TrustError.self) { try PairingPayload(text) }
        #expect(error?.message.contains("“\(member)”") == true, "\(error?.message ?? "")")
    }

    @Test(
        "has to name the address of a broker and nothing else",
        arguments: [
            "https://host/path", "https://user@host", "ftp://host", "https://", "host:8765", "https://host?x",
            "https://host#x", "javascript:alert(1)",
        ])
    func endpoints(endpoint: String) throws {
        let stage = try PairingStage()
        let payload = PairingPayload(
            server: stage.payload.server, code: stage.code, endpoint: endpoint, certificate: nil,
            createdAt: PairingStage.begin, expiresAt: PairingStage.end)
        #expect(throws: TrustError.self) { try PairingPayload(payload.uri) }
        #expect(throws: TrustError.self) { try PairingPayload(payload.json) }
    }

    @Test("names a certificate only with TLS")
    func plainHTTP() throws {
        let stage = try PairingStage()
        let payload = PairingPayload(
            server: stage.payload.server, code: stage.code, endpoint: "http://127.0.0.1:8765",
            certificate: PairingStage.certificate, createdAt: PairingStage.begin, expiresAt: PairingStage.end)
        #expect(throws: TrustError.self) { try PairingPayload(payload.uri) }
    }
}

@Suite("Confirmation words")
struct ConfirmationWordsTests {
    @Test("are 256, in order, and no two are a single letter apart")
    func list() {
        let list = ConfirmationWords.list
        #expect(list.count == 256)
        #expect(list == list.sorted())
        #expect(list.allSatisfy { (3...8).contains($0.count) && $0.allSatisfy { $0.isASCII && $0.isLowercase } })
        for (index, word) in list.enumerated() {
            for other in list[(index + 1)...] { #expect(!Self.isOneLetterApart(word, other), "\(word) \(other)") }
        }
    }

    private static func isOneLetterApart(_ left: String, _ right: String) -> Bool {
        let (short, long) = left.count <= right.count ? (Array(left), Array(right)) : (Array(right), Array(left))
        guard long.count - short.count <= 1 else { return false }
        let same = zip(short, long).prefix { $0 == $1 }.count
        return short.dropFirst(short.count == long.count ? same + 1 : same).elementsEqual(long.dropFirst(same + 1))
    }
}
