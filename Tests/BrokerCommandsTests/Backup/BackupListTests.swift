import BrokerCommands
import Testing

@Suite("The list of a backup")
struct BackupListTests {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)
    private static let needed = ["broker.sqlite", "sealing.secret"]

    private static func list(_ names: [String], count: Int? = nil, version: String = "1") -> String {
        "# countersign broker backup, version \(version), \(count ?? names.count) files\n"
            + names.map { "\(digest)  \($0)\n" }.joined()
    }

    @Test("is read as it was written")
    func same() throws {
        let text = Self.list(
            Self.needed + ["policy.yaml", "statements/a b.pdf", "archive/süd/2026/x.csv", "archive-index.sqlite"])
        #expect(try BackupList(text).text == text)
    }

    @Test(
        "that names another file than a backup has is refused",
        arguments: [
            "../etc/cron.d/x", "/etc/passwd", "statements/../../x", "archive/../x", "archive/a/./x", "archive//x",
            "archive/", "statements/a/b.pdf", "statements/.ssh", "archive/.countersign/index.sqlite", ".bashrc",
            "archive/a/.hidden/x", "broker.sqlite-wal", "SHA256SUMS", "statements", "archive/a\\nb", "archive/a\tb",
            "archive/a\rb", "Statements/a.pdf", "broker.sqlite\u{301}", "archive/\u{301}/../x", "", " policy.yaml",
        ])
    func foreign(name: String) {
        let error = #expect(throws: BackupError.self) { try BackupList(Self.list(Self.needed + [name])) }
        #expect(error?.code == .damaged)
    }

    @Test("that is not whole is refused")
    func partial() {
        let good = Self.list(Self.needed)
        for text in [
            "", "\n", String(good.dropLast()), String(good.dropFirst()), good + "\n",
            Self.list(Self.needed, count: 3), Self.list(Self.needed, count: 1),
            Self.list(["broker.sqlite", "policy.yaml"]),
            Self.list(["sealing.secret"]), Self.list(Self.needed + ["policy.yaml", "policy.yaml"]),
            good.replacing("\n", with: "\r\n"), good.replacing("0123456789abcdef", with: "0123456789ABCDEF"),
            good.replacing("  broker", with: " broker"), Self.list(Self.needed, version: "0"),
            Self.list(Self.needed, version: "-1"),
        ] {
            let error = #expect(throws: BackupError.self, "\(text)") { try BackupList(text) }
            #expect(error?.code == .damaged, "\(text)")
        }
    }

    @Test("of a newer version says so", arguments: ["3", "17"])
    func newer(version: String) {
        let error = #expect(throws: BackupError.self) { try BackupList(Self.list(Self.needed, version: version)) }
        #expect(error?.code == .newer)
        #expect("\(error!)".contains("restore it with that version"))
    }

    @Test("of the database alone is one, and the digests of an encrypted backup are not")
    func database() throws {
        #expect(try BackupList(Self.list(["broker.sqlite"])).entries.count == 1)
        let error = #expect(throws: BackupError.self) { try BackupList(Self.list(Self.needed, version: "2")) }
        #expect(error?.code == .damaged)
    }

    @Test("takes names that differ in their bytes alone for two files")
    func normalization() throws {
        let text = Self.list(Self.needed + ["archive/\u{E9}.csv", "archive/e\u{301}.csv"])
        #expect(try BackupList(text).entries.count == 4)
    }
}
