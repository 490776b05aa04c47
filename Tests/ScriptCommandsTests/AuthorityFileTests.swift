import Foundation
import Terminal
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("A file with a certificate authority")
struct AuthorityFileTests {
    /// Valid until 2126.
    private static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBkTCCATegAwIBAgIUWKiM+SKIshU+tbohPBgIFNC7JLIwCgYIKoZIzj0EAwIw
        HTEbMBkGA1UEAwwSQSBiYW5rJ3MgYXV0aG9yaXR5MCAXDTI2MTEyOTE0MTQ1MloY
        DzIxMjYxMTA1MTQxNDUyWjAdMRswGQYDVQQDDBJBIGJhbmsncyBhdXRob3JpdHkw
        WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQaRh11zafwERzPEZ9TJ8O2ATkIHJhp
        CaU4QeZ6xzgwkpW/bm2DX7mxpTK4F8S9WG6D+OuMc8GM0oBmyBqLWhv+o1MwUTAd
        BgNVHQ4EFgQU3v9+KxfV1seYSNxKUcc5DkmVpyIwHwYDVR0jBBgwFoAU3v9+KxfV
        1seYSNxKUcc5DkmVpyIwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBF
        AiA1yktQjxBeoWyvZba/gBbPxsAKWyizPQ04YTJPmDXa/AIhAOQyN7PDvC1jfYzH
        TZXcbth4cO5UV3k1ZCxoULxCyfkn
        -----END CERTIFICATE-----
        """

    @Test("is taken with words around its certificates")
    func taken() async throws {
        try await TemporaryFolder.with(["a.pem": "The bank's own\n" + Self.pem + "\n\n" + Self.pem]) { folder in
            let file = folder.appending(path: "a.pem")
            let checked = try AuthorityFile.checked(file.path)
            #expect(checked.path == file.standardizedFileURL.path)
        }
    }

    @Test(
        "is refused with the damaged part and the next step",
        arguments: [
            ("", "holds no certificate in PEM; it should have a line -----BEGIN CERTIFICATE-----"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "it holds a private key"),
            (String(pem.dropLast(40)), "line 1 of"), (String(pem.dropLast(40)), "it has no end"),
            (pem.replacing("MIIBkTCC", with: "MIIBkTCD"), "line 1 of"),
            (
                pem + "\n" + pem.replacing("TZXcbth4", with: "TZX*bth4"),
                "is damaged: it cannot be read. Copy the file again"
            ),
            (pem.replacing("-----END", with: "\(pem)\n-----END"), "it has no end"),
        ])
    func damaged(text: String, words: String) async throws {
        try await TemporaryFolder.with(["a.pem": text]) { folder in
            #expect {
                try AuthorityFile.checked(folder.appending(path: "a.pem").path)
            } throws: { error in
                (error as? CommandFailure)?.status == 2 && "\(error)".contains(words)
            }
        }
    }

    @Test("is refused when it is missing, too long, in DER, or no longer valid")
    func unfit() async throws {
        let lines = Self.pem.split(separator: "\n").dropFirst().dropLast().joined()
        let der = try #require(Data(base64Encoded: lines))
        try await TemporaryFolder.with(["a.pem": Self.pem]) { folder in
            let (binary, long) = (folder.appending(path: "a.crt"), folder.appending(path: "long.pem"))
            try der.write(to: binary)
            try Data(repeating: 0x61, count: 5 << 20).write(to: long)
            for (file, words) in [
                (binary, "openssl x509 -inform der -in \(binary.path)"), (long, "give --ca a file"),
                (folder, "give --ca a file"), (folder.appending(path: "none.pem"), "give --ca a file"),
            ] {
                #expect { try AuthorityFile.checked(file.path) } throws: { "\($0)".contains(words) }
            }
            let late = try Date("2200-01-01T00:00:00Z", strategy: .iso8601)
            #expect {
                try AuthorityFile.checked(folder.appending(path: "a.pem").path, now: late)
            } throws: {
                "\($0)".contains("was valid until 2126-11-05; get the one that your bank uses now")
            }
        }
    }

    @Test(
        "is looked at before anything else is asked or done",
        arguments: [
            ["collection", "update"], ["search", "north"],
            ["shell", "north.yaml"],
            ["survey", "north.yaml", "--credentials", "login.json", "--param", "month=1", "--param", "year=2026"],
            ["run", "north.yaml", "--credentials", "login.json", "--param", "month=1", "--param", "year=2026"],
        ])
    func commands(arguments: [String]) async throws {
        let files = ["north.yaml": SharedScript.text, "bad.pem": "not a certificate", "login.json": "{}"]
        try await TemporaryFolder.with(files) { folder in
            let outcome = try await CountersignProcess(
                ["script"] + arguments + ["--ca", "bad.pem"], environment: ["HOME": folder.path], in: folder
            ).run()
            #expect(outcome.status == 2 && outcome.errors.contains("bad.pem holds no certificate in PEM"), "\(outcome)")
        }
    }
}
