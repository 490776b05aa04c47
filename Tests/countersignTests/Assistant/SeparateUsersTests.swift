import AssistantProcesses
import AssistantStore
import AttestedKeys
import Crypto
import Encodings
import Foundation
import Machine
import MockGoogle
import Secrets
import TestServers
import TestSupport
import Testing

/// The API, the enclave and the key service as three users of one machine, as the systemd units run them. Only root can
/// start programs as other users.
@Suite(
    "The host's process cannot obtain a refresh token", .timeLimit(.minutes(5)),
    .enabled(if: geteuid() == 0 && LoopbackPostgres.programs != nil, "needs root and PostgreSQL"))
struct SeparateUsersTests {
    private static let api: UInt32 = 64_101
    private static let enclave: UInt32 = 64_102
    private static let keyService: UInt32 = 64_103

    /// Returns the launcher that starts a program as a user, who is in the group of each socket that they call.
    private static func launcher(_ user: UInt32, groups: [UInt32]) -> [String] {
        let list = groups.map(String.init).joined(separator: ",")
        return [
            "/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)",
            groups.isEmpty ? "--clear-groups" : "--groups=\(list)",
        ]
    }

    private static func folder(_ url: URL, _ user: UInt32, mode: mode_t) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        chown(url.path, user, user)
        chmod(url.path, mode)
    }

    private static func wait(_ program: Program, _ text: String) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while !program.errors.contains(text) {
            try #require(ContinuousClock.now < end, "\(program.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("not by any file, socket, call or piece of environment that it has, while its own work goes on")
    func host() async throws {
        let place = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "users-\(UUID().uuidString.prefix(8))")
        chmod(place.url.path, 0o755)
        let run = place.appending("run")
        for (name, user) in [("api", Self.api), ("enclave", Self.enclave), ("kms", Self.keyService)] {
            try Self.folder(place.appending(name), user, mode: 0o700)
            try Self.folder(run.appending(path: name), user, mode: 0o755)
        }
        var mock = MockGoogleConfiguration()
        mock.redirectURIs = [RunningAssistant.redirect]
        mock.clientSecret = nil
        let google = try await MockGoogleServer.start(mock)
        let url = try await LoopbackPostgres.makeDatabase(forEveryone: true)
        let shared = [
            "ASSISTANT_DATABASE_URL": url, "ASSISTANT_PORT": "0", "ASSISTANT_SIGNUP": "open",
            "ASSISTANT_KMS_SOCKET": run.appending(path: "kms/kms.sock").path,
            "ASSISTANT_ENCLAVE_SOCKET": run.appending(path: "enclave/enclave.sock").path,
            "ASSISTANT_EVIDENCE_KEY_FILE": run.appending(path: "enclave/evidence.pub").path,
            "ASSISTANT_API_USER": "\(Self.api)", "ASSISTANT_ENCLAVE_USER": "\(Self.enclave)",
            "ASSISTANT_KMS_USER": "\(Self.keyService)", "ASSISTANT_GOOGLE_CLIENT_ID": "mock-client",
            "ASSISTANT_GOOGLE_REDIRECT_URIS": RunningAssistant.redirect,
            "ASSISTANT_GOOGLE_AUTH_URL": "\(google.url)/o/oauth2/v2/auth",
            "ASSISTANT_GOOGLE_TOKEN_URL": "\(google.url)/token", "ASSISTANT_GOOGLE_REVOKE_URL": "\(google.url)/revoke",
        ]
        func environment(_ name: String) -> [String: String] {
            shared.merging(["XDG_DATA_HOME": place.appending(name).path]) { $1 }
        }
        let kms = try Program(
            ["assistant", "kms"], environment: environment("kms"),
            through: Self.launcher(Self.keyService, groups: []))
        defer { kms.signal(SIGKILL) }
        try await Self.wait(kms, "key service is ready")
        let enclave = try Program(
            ["assistant", "enclave"], environment: environment("enclave"),
            through: Self.launcher(Self.enclave, groups: [Self.keyService]))
        defer { enclave.signal(SIGKILL) }
        try await Self.wait(enclave, "enclave is ready")

        let host = Self.launcher(Self.api, groups: [Self.enclave, Self.keyService])
        let api = try RunningAssistant(
            google: google, more: environment("api").merging(["ASSISTANT_GOOGLE_CLIENT_SECRET_FILE": ""]) { $1 },
            through: host)
        defer { api.signal(SIGKILL) }
        try await api.start(["--alone"])

        // A person connects. The API has the token once, seals it, and cannot open it again.
        let (session, user) = try await api.register()
        let (code, state) = try #require(try await api.consent(session))
        let answer = try #require(
            try await api.send(
                "POST", "/v1/connectors/google/callback", token: session,
                ["code": .string(code), "state": .string(state)]))
        try #require(answer.status == 200, "\(answer.json) \(api.log)")
        let name = try #require(answer.json["connector_id"]?.stringValue)
        let connector = try #require(UUID(uuidString: String(name.dropFirst("con_".count))))
        let refresh = try #require(await google.account.refreshTokens.first)
        let database = try await AssistantDatabase.open(url)
        let stored = try #require(try await database.connectors.connector(connector, of: user))
        let sealed = try SealedToken(stored.sealedToken)
        let binding = TokenBinding(
            userID: user, connectorID: connector,
            key: KeyReference(tokenKeyID: stored.tokenKeyID, tokenVersion: stored.tokenVersion))

        // Everything below runs as the API's user, with the groups that the API has.
        func probe(_ script: String) async throws -> (status: Int32, text: String) {
            let outcome = try await ChildProcess.run(
                URL(filePath: host[0]), Array(host.dropFirst()) + ["/usr/bin/python3", "-c", script],
                environment: environment("api").merging(["PATH": "/usr/bin:/bin"]) { $1 })
            return (outcome.status, outcome.text)
        }
        func call(_ socket: String, _ method: String, _ params: JSONValue = [:]) async throws -> JSONValue {
            let frame = (["id": "1", "method": .string(method), "params": params] as JSONValue).compactText()
            let outcome = try await probe(
                """
                import os, socket, struct
                s = socket.socket(socket.AF_UNIX)
                s.connect(os.environ["\(socket)"])
                f = \(JSONValue.string(frame).compactText()).encode()
                s.sendall(struct.pack(">I", len(f)) + f)
                n = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
                print(s.recv(n, socket.MSG_WAITALL).decode())
                """)
            try #require(outcome.status == 0, "\(outcome.text)")
            return try JSONReader.read(Array(outcome.text.utf8))
        }

        // Its own work goes on: an access token, and nothing else.
        let params: JSONValue = ["connector_id": .string(connector.uuidString), "user_id": .string(user.uuidString)]
        let access = try await call("ASSISTANT_ENCLAVE_SOCKET", "exchange_google_access_token", params)
        #expect(access["result"]?["access_token"]?.stringValue?.hasPrefix("ya29.") == true, "\(access)")
        #expect(!access.compactText().contains(refresh))

        // 1. No call of the key service opens the data key for it: not by its own evidence, not by asking for a nonce.
        #expect(try await call("ASSISTANT_KMS_SOCKET", "challenge")["error"]?["code"] == "FORBIDDEN_USER")
        let nonce = [UInt8](repeating: 1, count: 32)
        let ephemeral = EphemeralKey()
        let forged = try SoftwareEvidenceSigner(
            key: P256.Signing.PrivateKey(), measurement: access["result"]?["measurement"]?.stringValue ?? ""
        ).evidence(nonce: nonce, publicKey: ephemeral.publicKey, at: Date())
        let request = OpeningRequest(
            wrappedDataKey: sealed.wrappedDataKey, binding: binding, evidence: forged, nonce: nonce)
        #expect(
            try await call("ASSISTANT_KMS_SOCKET", "open_data_key", request.json)["error"]?["code"] == "FORBIDDEN_USER")
        for method in ["get", "open", "master_keys", "refresh_token"] {
            for socket in ["ASSISTANT_KMS_SOCKET", "ASSISTANT_ENCLAVE_SOCKET"] {
                #expect(try await call(socket, method, params)["error"]?["code"] == "UNKNOWN_METHOD")
            }
        }
        // 2. It reads no file and no memory of the two, and cannot replace the key by which evidence is believed.
        let attempts = try await probe(
            """
            import base64, os, signal
            places = "\(place.url.path)"
            token = b"\(refresh)"
            forms = [token, token.hex().encode(), base64.b64encode(token)]
            opened = []
            own = 0
            for name, value in os.environb.items():
                if any(form in value for form in forms): opened.append(name)
            for name in ["environ", "cmdline", "maps", "mem"]:
                # Its own memory is closed to its user's other programs, too.
                try: data = open(f"/proc/\(api.id)/{name}", "rb").read(1 << 20)
                except OSError: continue
                if any(form in data for form in forms): opened.append(name)
            for top in ["\(place.url.path)", "/proc/\(kms.id)", "/proc/\(enclave.id)"]:
                for folder, folders, files in os.walk(top):
                    if "/task/" in folder or "/net/" in folder: continue
                    for name in files:
                        path = os.path.join(folder, name)
                        try: data = open(path, "rb").read(1 << 20)
                        except OSError: continue
                        if any(form in data for form in forms): opened.append(path)
                        if path.startswith(places + "/api"): own += len(data)
                        elif path.startswith(places) and not path.endswith("evidence.pub"): opened.append(path)
            for secret in ["environ", "mem", "maps", "fd/0", "exe"]:
                for process in [\(kms.id), \(enclave.id)]:
                    try: os.open(f"/proc/{process}/{secret}", os.O_RDONLY); opened.append(f"{process}/{secret}")
                    except OSError: pass
            for path in ["\(run.path)/enclave/evidence.pub", "\(run.path)/enclave/x", "\(run.path)/kms/x"]:
                try: open(path, "ab"); opened.append("written: " + path)
                except OSError: pass
            for process in [\(kms.id), \(enclave.id)]:
                try: os.kill(process, signal.SIGTERM); opened.append("signalled")
                except OSError: pass
            print("opened", opened, own >= 32)
            """)
        #expect(attempts.status == 0 && attempts.text == "opened [] True\n", "\(attempts.text)")
        // 3. The whole database, which it may read and change, has the token in no form.
        let programs = try #require(LoopbackPostgres.programs)
        let dump = try await ChildProcess.run(
            URL(filePath: host[0]), Array(host.dropFirst()) + ["\(programs)/pg_dump", url])
        #expect(dump.status == 0 && dump.output.range(of: Data(connector.uuidString.lowercased().utf8)) != nil)
        for form in [refresh, Data(refresh.utf8).base64EncodedString(), Base16.encode(Array(refresh.utf8))] {
            #expect(dump.output.range(of: Data(form.utf8)) == nil)
        }
        // Moved to a connection of another user, the sealed token does not open.
        guard case .new(let thief) = try await database.users.admit([7], .open, timeZone: "UTC", at: Date()) else {
            Issue.record("the user is known already")
            return
        }
        let moved = UUID()
        try await database.connectors.connect(
            moved, of: thief, provider: "google", scopes: ["calendar.readonly"],
            NewToken(sealed: stored.sealedToken, keyID: stored.tokenKeyID, version: stored.tokenVersion),
            recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: Date())
        let theft = try await call(
            "ASSISTANT_ENCLAVE_SOCKET", "exchange_google_access_token",
            ["connector_id": .string(moved.uuidString), "user_id": .string(thief.uuidString)])
        #expect(theft["error"]?["code"] == "KEY_UNAVAILABLE", "\(theft)")
        // 4. Another user has no socket at all.
        let stranger = try await ChildProcess.run(
            URL(filePath: "/usr/bin/setpriv"),
            [
                "--reuid=64104", "--regid=64104", "--clear-groups", "/usr/bin/python3", "-c",
                "import os,socket; socket.socket(socket.AF_UNIX).connect(os.environ['ASSISTANT_KMS_SOCKET'])",
            ], environment: environment("api").merging(["PATH": "/usr/bin:/bin"]) { $1 })
        #expect(stranger.status != 0 && stranger.text.contains("PermissionError"), "\(stranger.text)")

        #expect(!kms.errors.contains(refresh) && !enclave.errors.contains(refresh) && !api.log.contains(refresh))
        await database.close()
        await google.stop()
    }
}
