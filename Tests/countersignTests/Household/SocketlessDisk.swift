#if os(Linux)
    import Foundation
    import TestSupport

    /// A disk that takes no Unix sockets, as exFAT and some shared folders do not.
    ///
    /// The kernel refuses the tested program, and all that it starts, to bind a socket to a path, with the error of such a disk. So
    /// the programs go the way that they go there. A filter cannot read an address, but one of a path is longer than any other.
    enum SocketlessDisk {
        private static let script = #"""
            my ($prctl, $bind) = splice @ARGV, 0, 2;
            my $filter = pack "(SCCL)6", 0x20, 0, 0, 0, 0x15, 0, 2, $bind, 0x20, 0, 0, 32, 0x25, 1, 0, 28, 6, 0, 0, 0x7fff0000,
                6, 0, 0, 0x50001;
            my $program = pack "Sx6P", 6, $filter;
            syscall($prctl, 38, 1, 0, 0, 0) and die "no new privileges: $!";
            syscall($prctl, 22, 2, $program) and die "no filter: $!";
            exec @ARGV or die;
            """#

        /// The numbers of prctl(2) and bind(2).
        #if arch(x86_64)
            private static let calls = ["157", "49"]
        #else
            private static let calls = ["167", "200"]
        #endif

        /// The program and arguments that start a program there.
        static var launcher: [String] { ["/usr/bin/perl", "-e", script] + calls }

        /// Returns false where no program may have a filter, and without Perl.
        static func isPossible() async throws -> Bool {
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/perl") else { return false }
            let outcome = try await ChildProcess.run(
                URL(filePath: launcher[0]), Array(launcher.dropFirst()) + ["/bin/true"])
            return outcome.status == 0
        }
    }
#endif
