import Automation
import BankScript
import Foundation
import Selectors
import TestServers
import TestSupport
import Testing

@testable import BrowserAutomation

/// Everything that can go wrong with the browser ends in one clear error in time, and leaves nothing behind.
@Suite("A browser that fails", .serialized)
struct FailuresInBrowserTests {
    private let folder: TemporaryFolder
    private let programs: TemporaryFolder
    private let before = Set(Descendant.all)

    init() throws {
        // Short, because Chromium makes a socket below it.
        folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "ct-\(UUID().uuidString.prefix(8))")
        programs = try TemporaryFolder()
        // As root, the programs run as another user.
        for place in [folder, programs] { chmod(place.url.path, 0o755) }
    }

    // MARK: At the start

    @Test("is named when it is missing")
    func missing() throws {
        let error = #expect(throws: BrowserError.self) { try BrowserPrograms.find(in: ["PATH": "/nonexistent"]) }
        #expect(error?.code == .missing && error?.message.contains("apt install chromium") == true)
    }

    static let drivers: [(String, String, BrowserError.Code, String)] = [
        ("sleeps", "#!/bin/sh\nsleep 600\n", .hung, "did not start"),
        ("ends", "#!/bin/sh\nexit 3\n", .nonsense, "said no port"),
        ("babbles", "#!/bin/sh\necho hello; exit 0\n", .nonsense, "hello"),
        (
            "listens nowhere", "#!/bin/sh\necho 'ChromeDriver was started successfully on port 9515.'\nsleep 600\n",
            .nonsense, "does not listen"
        ),
        (
            "speaks no WebSocket", driver(upgrading: false, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
            .nonsense, "WebSocket"
        ),
        ("closes the WebSocket", driver(upgrading: true, ""), .crashed, "ended"),
        ("speaks no JSON", driver(upgrading: true, frame("hello")), .nonsense, "not WebDriver BiDi"),
        (
            "answers without versions", driver(upgrading: true, frame(#"{"type":"success","id":1,"result":{}}"#)),
            .nonsense, "without a version"
        ),
        (
            "answers without an id",
            driver(
                upgrading: true,
                frame(
                    #"{"type":"success","id":1,"result":{"capabilities":{"browserVersion":"150.0.1","#
                        + #""chrome":{"chromedriverVersion":"150.0.1"}}}}"#)), .nonsense, "without an id"
        ),
        (
            "is of another version", driver(upgrading: true, frame(session("150.0.1", "149.0.2"))), .wrongVersion,
            "149.0.2"
        ),
        ("is old", driver(upgrading: true, frame(session("120.0.1", "120.0.1"))), .wrongVersion, "needs 140"),
        (
            "does not know the browser",
            driver(
                upgrading: true,
                frame(
                    #"{"type":"error","id":1,"error":"session not created","message":"This version of ChromeDriver only supports Chrome version 90"}"#
                )), .wrongVersion, "only supports"
        ),
    ]

    @Test("is an error when the driver", .needsChromedriver, .timeLimit(.minutes(3)), arguments: drivers)
    func driver(_ name: String, _ program: String, _ code: BrowserError.Code, _ words: String) async throws {
        let found = try BrowserPrograms.find()
        let began = ContinuousClock.now
        let error = await #expect(throws: BrowserError.self) {
            try await start(browser: found.browser, driver: try make("driver", program), limit: .seconds(5))
        }
        #expect(error?.code == code && error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(ContinuousClock.now - began < .seconds(20))
        try await expectNothingLeft()
    }

    @Test("is an error when Chromium ends at once", .needsChromedriver, .timeLimit(.minutes(3)))
    func browserEnds() async throws {
        let found = try BrowserPrograms.find()
        let error = await #expect(throws: BrowserError.self) {
            try await start(
                browser: try make("chromium", "#!/bin/sh\nexit 1\n"), driver: found.driver, limit: .seconds(20))
        }
        #expect(error?.code == .crashed && error?.message.contains("does not start") == true, "\(error?.message ?? "")")
        try await expectNothingLeft()
    }

    @Test("is an error when Chromium hangs at its start", .needsChromedriver, .timeLimit(.minutes(3)))
    func browserHangs() async throws {
        let found = try BrowserPrograms.find()
        let error = await #expect(throws: BrowserError.self) {
            try await start(
                browser: try make("chromium", "#!/bin/sh\nsleep 600\n"), driver: found.driver, limit: .seconds(3))
        }
        #expect(error?.code == .hung && error?.message.contains("in time") == true, "\(error?.message ?? "")")
        try await expectNothingLeft()
    }

    @Test("is an error when the folder's path is too long for Chromium", .needsChromedriver)
    func longPath() async throws {
        let found = try BrowserPrograms.find()
        let error = await #expect(throws: BrowserError.self) {
            try await start(
                browser: found.browser, driver: found.driver, limit: .seconds(20), in: programs.url)
        }
        #expect(error?.code == .unsupported && error?.message.contains("TMPDIR") == true, "\(error?.message ?? "")")
        #expect(programs.names == [])
    }

    // MARK: On a page

    @Test("ends the step when Chromium is killed under it", .needsChromedriver, .timeLimit(.minutes(3)))
    func killed() async throws {
        try await visit("<p>Hello</p>") { engine, _ in
            for process in Set(Descendant.all).subtracting(before) where process.command.contains("--user-data-dir") {
                kill(process.id, SIGKILL)
            }
            let began = ContinuousClock.now
            await #expect(throws: EngineError.self) { try await engine.open("/again") }
            #expect(ContinuousClock.now - began < .seconds(10))
        }
    }

    @Test("ends the step when Chromium hangs under it", .needsChromedriver, .timeLimit(.minutes(3)))
    func hangs() async throws {
        try await visit("<p>Hello</p>", answerLimit: .seconds(3)) { engine, _ in
            for process in Set(Descendant.all).subtracting(before) where process.command.contains("--user-data-dir") {
                kill(process.id, SIGSTOP)
            }
            let began = ContinuousClock.now
            let error = await #expect(throws: EngineError.self) { try await engine.open("/again") }
            #expect(
                error?.kind == .timeout && error?.message.contains("gave no answer") == true, "\(error?.message ?? "")")
            #expect(ContinuousClock.now - began < .seconds(30))
        }
    }

    @Test(
        "leaves no core file of the browser's processes", .needsChromedriver, .needsCoreFiles, .timeLimit(.minutes(3)))
    func coreFiles() async throws {
        try await visit("<p>Hello</p>") { _, _ in
            let processes = Set(Descendant.all).subtracting(before)
            // The shell, the driver, the browser, and the page's own process.
            #expect(processes.count > 3 && processes.contains { $0.command.contains("--type=renderer") })
            #expect(processes.filter { !$0.forbidsCoreDumps }.map(\.command) == [])
        }
    }

    @Test("uses a page that never stops asking as it is", .needsChromedriver, .timeLimit(.minutes(3)))
    func restless() async throws {
        let page = """
            <p>Hello</p><script>
            setInterval(() => { fetch("/never"); document.body.append(new Date() + " "); }, 5);
            </script>
            """
        let began = ContinuousClock.now
        try await visit(page) { engine, _ in
            let text = try await engine.text(of: .css("p"))
            #expect(text == "Hello")
            #expect(ContinuousClock.now - began < .seconds(25))
        }
    }

    @Test("tells the text of a dialog that comes again and again", .needsChromedriver, .timeLimit(.minutes(3)))
    func dialogs() async throws {
        try await visit("<p>Hello</p><button onclick='for (;;) alert(\"Your session ends\")'>Go</button>") {
            engine, _ in
            let error = await #expect(throws: EngineError.self) { try await engine.press(.button("Go")) }
            #expect(error.map { "\($0)".contains("Your session ends") } == true)
        }
    }

    @Test("refuses a document of 100 megabytes", .needsChromedriver, .timeLimit(.minutes(3)))
    func large() async throws {
        try await visit("<a href='/large'>Statement</a>") { engine, target in
            let error = await #expect(throws: EngineError.self) {
                _ = try await engine.download(.control(.link("Statement")), to: target, limit: 20 << 20)
            }
            #expect(error?.kind == .tooLarge, "\(String(describing: error))")
        }
    }

    // MARK: What the tests share

    /// Opens a page, does something with it, and looks for what is left behind.
    private func visit(
        _ page: String, answerLimit: Duration = .seconds(60),
        _ body: (BrowserNavigationEngine, URL) async throws -> Void
    ) async throws {
        let site = try await LoopbackSite.start { path in
            switch path {
            case "/large":
                "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment\r\n"
                    + "Connection: close\r\n\r\n" + String(repeating: "x", count: 100 << 20)
            case "/": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!doctype html>" + page
            default: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
            }
        }
        let origin = "http://localhost:\(site.port)"
        let script = BankScript("bank", named: "Bank", at: origin, isForTesting: true, steps: { Open("/") })
        let engine = try await BrowserNavigationEngine.start(
            for: script, configuration: .init(answerLimit: answerLimit, temporaryFolder: folder.url))
        do {
            try await engine.open(origin + "/")
            try await body(engine, programs.appending("document"))
        } catch {
            Issue.record(error)
        }
        await engine.close()
        await site.stop()
        try await expectNothingLeft()
    }

    private func make(_ name: String, _ program: String) throws -> URL {
        let file = programs.appending(name)
        try Data(program.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        return file
    }

    private func start(browser: URL, driver: URL, limit: Duration, in base: URL? = nil) async throws {
        let script = BankScript(
            "bank", named: "Bank", at: "http://localhost:1", isForTesting: true, steps: { Open("/") })
        let engine = try await BrowserNavigationEngine.start(
            for: script,
            configuration: .init(
                programs: .init(browser: browser, driver: driver), startLimit: limit,
                temporaryFolder: base ?? folder.url))
        await engine.close()
    }

    /// Expects that no folder and no process is left.
    private func expectNothingLeft() async throws {
        #expect(folder.names == [])
        let left = Set(Descendant.all).subtracting(before)
        #expect(left == [], "\(left.map(\.command))")
    }

    // MARK: Drivers that speak

    private static func frame(_ text: String) -> String { "FRAME" + text }

    private static func session(_ browser: String, _ driver: String) -> String {
        #"{"type":"success","id":1,"result":{"sessionId":"1","capabilities":{"browserVersion":""# + browser
            + #"","chrome":{"chromedriverVersion":""# + driver + #""}}}}"#
    }

    /// A driver in Perl that gives one answer to the first command.
    private static func driver(upgrading: Bool, _ answer: String) -> String {
        let text = answer.replacingOccurrences(of: "\r\n", with: "\\r\\n")
        return """
            #!/usr/bin/perl
            use IO::Socket::INET;
            use Digest::SHA qw(sha1_base64);
            $| = 1;
            my ($port) = map { /^--port=(\\d+)/ } @ARGV;
            my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 1) or die;
            print "ChromeDriver was started successfully on port $port.\\n";
            my $client = $server->accept;
            $client->autoflush(1);
            my $head = '';
            while (my $line = <$client>) { $head .= $line; last if $line eq "\\r\\n"; }
            my $answer = '\(text)';
            $answer =~ s/\\\\r\\\\n/\\r\\n/g;
            if (\(upgrading ? 1 : 0)) {
                my ($key) = $head =~ /Sec-WebSocket-Key: (\\S+)/i;
                my $accept = sha1_base64($key . '258EAFA5-E914-47DA-95CA-C5AB0DC85B11') . '=';
                print $client "HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
                    . "Sec-WebSocket-Accept: $accept\\r\\n\\r\\n";
                sysread($client, my $command, 65536);
                exit unless $answer =~ s/^FRAME//;
                $answer = chr(0x81) . chr(126) . pack('n', length $answer) . $answer;
            }
            print $client $answer;
            sleep 600;
            """
    }
}
