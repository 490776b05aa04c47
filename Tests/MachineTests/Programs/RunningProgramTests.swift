import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Machine

#if os(Linux)
    @Suite("A program that is started", .timeLimit(.minutes(4)))
    struct RunningProgramTests {
        /// The things that a program has from its parent.
        private struct Facts: Equatable {
            var input = ""
            var files: [String] = []
            var folder = ""
            var variables: Set<String> = []
            /// The signals that are blocked or ignored, without the two that the C library keeps for its threads.
            var signals: UInt64 = 0
        }

        /// A way to start a program.
        private struct Start: CustomTestStringConvertible, Sendable {
            let testDescription: String
            var input = RunningProgram.Input.nothing
            var errors = RunningProgram.Output.dropped
            var leadsGroup = false
            var endsWithParent = true
            var limit: Duration?
            /// The standard input that the program sees; nil for a pipe.
            var seen: String? = "/dev/null"
        }

        private static let file = open("/etc/hostname", O_RDONLY | O_CLOEXEC)

        private static let starts = [
            Start(testDescription: "as it comes"),
            Start(testDescription: "reading a file", input: .file(file), seen: "/etc/hostname"),
            Start(testDescription: "written to", input: .written, seen: nil),
            Start(testDescription: "with both outputs in one", errors: .withOutput),
            Start(testDescription: "with its errors apart", errors: .kept),
            Start(testDescription: "leading a group", leadsGroup: true),
            Start(testDescription: "without an end with its parent", endsWithParent: false),
            Start(testDescription: "with a time limit", limit: .seconds(100)),
        ]

        private static let questions = """
            readlink /proc/$$/fd/0
            ls -x --width=1000 /proc/$$/fd
            readlink /proc/$$/cwd
            echo $(tr '\\0' ' ' </proc/$$/environ)
            echo $(grep -E '^Sig(Blk|Ign)' /proc/$$/status | cut -f 2)
            """

        private static func facts(_ start: Start) throws -> Facts {
            let program = try RunningProgram(
                ["/bin/sh", "-c", questions], environment: ["PATH": "/usr/bin:/bin", "GIVEN": "this"],
                input: start.input, errors: start.errors, leadsGroup: start.leadsGroup,
                endsWithParent: start.endsWithParent, limit: start.limit)
            let lines = String(decoding: program.output(atMost: 4096), as: UTF8.self).split(separator: "\n").map(
                String.init)
            #expect(program.end() == .exited(0))
            try #require(lines.count == 5, "\(lines)")
            func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
            let signals = words(lines[4]).compactMap { UInt64($0, radix: 16) }
            try #require(signals.count == 2, "\(lines)")
            return Facts(
                input: lines[0], files: words(lines[1]), folder: lines[2], variables: Set(words(lines[3])),
                signals: (signals[0] | signals[1]) & ~(0b11 << 31))
        }

        @Test(
            "has nothing of this process: no input, file, variable or folder, and no signal that is blocked or ignored",
            arguments: starts)
        private func inheritance(start: Start) async throws {
            let facts = try await BlockingWork.run {
                signal(SIGPIPE, SIG_IGN)
                // A file that a program inherits which is started carelessly.
                let open = open("/etc/hostname", O_RDONLY)
                defer { close(open) }
                var (blocked, before) = (sigset_t(), sigset_t())
                sigfillset(&blocked)
                pthread_sigmask(SIG_BLOCK, &blocked, &before)
                defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
                return try Self.facts(start)
            }
            if let seen = start.seen {
                #expect(facts.input == seen)
            } else {
                #expect(facts.input.hasPrefix("pipe:"))
            }
            #expect(facts.files == ["0", "1", "2"])
            #expect(facts.folder == "/")
            #expect(facts.variables == ["PATH=/usr/bin:/bin", "GIVEN=this"])
            #expect(facts.signals == 0)
        }

        private static let setpriv = "/usr/bin/setpriv"

        @Test(
            "is asked to end when this process is gone, unless it is to go on",
            .enabled(if: InstalledProgram.isProgram(setpriv), "util-linux is not installed"),
            arguments: [(true, "term"), (false, "[none]")])
        func parent(endsWithParent: Bool, signal: String) async throws {
            try await BlockingWork.run {
                let program = try RunningProgram([Self.setpriv, "--dump"], endsWithParent: endsWithParent)
                let text = String(decoding: program.output(atMost: 4096), as: UTF8.self)
                let line = text.split(separator: "\n").first { $0.hasPrefix("Parent death signal: ") }
                #expect(line?.lowercased().contains(signal) == true, "\(text)")
                program.end()
            }
        }

        @Test("has this process's own variables and folder where it is to have them")
        func own() async throws {
            try await BlockingWork.run {
                let command = ["/bin/sh", "-c", "readlink /proc/$$/cwd; tr '\\0' '\\n' </proc/$$/environ"]
                let program = try RunningProgram(command, environment: nil, in: nil)
                let lines = String(decoding: program.output(atMost: 1 << 20), as: UTF8.self).split(separator: "\n")
                #expect(lines.first.map(String.init) == FileManager.default.currentDirectoryPath)
                let path = try #require(ProcessInfo.processInfo.environment["PATH"])
                #expect(lines.contains { $0 == "PATH=\(path)" })
                #expect(program.end() == .exited(0))
            }
        }

        @Test(
            "that cannot be started is named, with the reason",
            arguments: [
                ("/nowhere/program", true, ENOENT), ("/nowhere/program", false, ENOENT),
                ("/etc/passwd", true, EACCES), ("/etc/passwd", false, EACCES), ("/etc", true, EACCES),
            ])
        func missing(path: String, endsWithParent: Bool, code: Int32) async throws {
            let error = await #expect(throws: FileError.self) {
                try await BlockingWork.run { _ = try RunningProgram([path], endsWithParent: endsWithParent) }
            }
            #expect(error == FileError("started", path, code))
        }

        @Test("is not started without the file that it is to read")
        func noInput() async {
            await #expect(throws: FileError.self) {
                try await BlockingWork.run { _ = try RunningProgram(["/bin/cat"], input: .file(-1)) }
            }
        }

        @Test(
            "ends with a status or a signal",
            arguments: [
                ("exit 0", .exited(0), 0), ("exit 3", .exited(3), 3), ("kill -TERM $$", .killed(SIGTERM), 143),
                ("kill -KILL $$", .killed(SIGKILL), 137),
            ] as [(String, RunningProgram.End, Int32)])
        func ends(script: String, end: RunningProgram.End, status: Int32) async throws {
            let program = try RunningProgram(["/bin/sh", "-c", script])
            #expect(await program.ended() == end)
            #expect(await program.ended() == end, "also when it is asked again")
            #expect(end.status == status && !program.isRunning)
            // Its number may belong to another process now.
            program.kill()
        }

        @Test("answers what is written to it, line by line, until its input ends")
        func conversation() async throws {
            try await BlockingWork.run {
                let program = try RunningProgram(
                    ["/bin/sh", "-c", "while read -r line; do echo \"got $line\"; done; echo over"], input: .written)
                for word in ["one", "two"] {
                    try program.write("\(word)\n".utf8)
                    #expect(program.line() == "got \(word)")
                }
                program.endInput()
                #expect(program.line() == "over" && program.line() == nil)
                #expect(program.end() == .exited(0))
            }
        }

        @Test("that no longer reads is an error for the writer, and ends no one else")
        func brokenPipe() async throws {
            try await BlockingWork.run {
                let program = try RunningProgram(["/bin/true"], input: .written)
                program.end()
                var error: FileError?
                let end = ContinuousClock.now + .seconds(10)
                // Another program that is being started has this process's files for a moment.
                while error == nil, ContinuousClock.now < end {
                    do throws(FileError) {
                        try program.write([0x61])
                        usleep(1000)
                    } catch let caught {
                        error = caught
                    }
                }
                #expect(error?.code == EPIPE)
            }
        }

        @Test("has its two outputs read apart, or as one")
        func outputs() async throws {
            let command = ["/bin/sh", "-c", "echo one; echo two >&2"]
            let apart = try RunningProgram(command, errors: .kept)
            let (complaints, end) = AsyncStream<String>.makeStream()
            let text = Mutex("")
            apart.follow(.errors) { piece in
                text.withLock { $0 += String(decoding: piece, as: UTF8.self) }
            } atEnd: {
                end.yield(text.withLock(\.self))
            }
            var lines = apart.lines().makeAsyncIterator()
            #expect(await lines.next() == "one")
            #expect(await lines.next() == nil)
            #expect(await complaints.first { _ in true } == "two\n")
            #expect(await apart.ended() == .exited(0))
            let both = try RunningProgram(command, errors: .withOutput)
            let all = try await BlockingWork.run { both.output(atMost: 4096) }
            #expect(String(decoding: all, as: UTF8.self) == "one\ntwo\n")
        }

        @Test("is killed when its time is over, and a quick one is not")
        func limit() async throws {
            let slow = try RunningProgram(["/bin/sleep", "1000"], limit: .milliseconds(20))
            #expect(await slow.ended() == .killed(SIGKILL))
            #expect(slow.wasTooSlow)
            let quick = try RunningProgram(["/bin/true"], limit: .seconds(1000))
            #expect(await quick.ended() == .exited(0))
            #expect(!quick.wasTooSlow)
        }

        @Test("is read no further than its limit")
        func endlessOutput() async throws {
            try await BlockingWork.run {
                let program = try RunningProgram(["/usr/bin/yes"])
                #expect(program.output(atMost: 100_000).count == 100_000)
                // It prints to a pipe without a reader now.
                #expect(program.end() == .killed(SIGPIPE))
            }
        }

        @Test("that leads a group ends with the processes that it has started")
        func group() async throws {
            let program = try RunningProgram(["/bin/sh", "-c", "sleep 1000 & echo $!; wait"], leadsGroup: true)
            let child = try #require(try await BlockingWork.run { program.line().flatMap { Int32($0) } })
            program.kill()
            #expect(await program.ended() == .killed(SIGKILL))
            while Descendant.parent(of: child) != nil { try await Task.sleep(for: .milliseconds(5)) }
        }

        @Test("leaves no zombie when nothing waits for it")
        func noZombie() async throws {
            let id = try RunningProgram(["/bin/true"], output: .dropped, endsWithParent: false).id
            while kill(id, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }

        @Test("starts also where all threads of the shared pool wait for one")
        func fullPool() async {
            let ends = await withTaskGroup(of: RunningProgram.End?.self) { group in
                for _ in 0..<64 {
                    // Blocks a thread that tasks share, as callers of code that blocks do.
                    group.addTask { try? RunningProgram(["/bin/sleep", "0.05"]).end() }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ends == Array(repeating: .exited(0), count: 64))
        }

        @Test(
            "has a group of its own, so that Ctrl-C at a terminal passes it by, unless it asks there",
            arguments: [true, false])
        func group(asks: Bool) throws {
            let program = try RunningProgram(["/bin/sleep", "1000"], asksAtTerminal: asks)
            #expect(getpgid(program.id) == (asks ? getpgrp() : program.id))
            program.kill()
            #expect(program.end() == .killed(SIGKILL))
        }

        @Test(
            "is read no longer than it runs, whatever keeps its output open in a session of its own",
            .timeLimit(.minutes(3)))
        func outputKeptOpen() throws {
            let program = try RunningProgram(
                ["/bin/sh", "-c", "setsid sleep 100 & echo $!; exit 3"], leadsGroup: true, limit: .seconds(50))
            let began = ContinuousClock.now
            let printed = program.output(atMost: 100, noLongerThanItRunsAnd: .milliseconds(100))
            #expect(ContinuousClock.now - began < .seconds(40))
            #expect(program.end() == .exited(3))
            let child = try #require(Int32(String(decoding: printed, as: UTF8.self).dropLast()))
            kill(child, SIGKILL)
            let slow = try RunningProgram(["/bin/sh", "-c", "echo a; sleep 0.3; echo b"], leadsGroup: true)
            #expect(slow.output(atMost: 100, noLongerThanItRunsAnd: .zero) == Array("a\nb\n".utf8))
        }

        @Test(
            "a time limit ends a child that keeps the output open after its leader has ended", .timeLimit(.minutes(3)))
        func lateChild() throws {
            let program = try RunningProgram(
                ["/bin/sh", "-c", "sleep 1000 & exit 0"], leadsGroup: true, limit: .milliseconds(200))
            #expect(program.output(atMost: 10) == [])
            #expect(program.wasTooSlow)
            #expect(program.end() == .exited(0))
        }
    }
#endif
