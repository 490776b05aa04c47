#if os(Linux)
    import Foundation
    import Glibc

    /// Watches one folder with inotify, on its own thread.
    package final class DirectoryWatch: @unchecked Sendable {
        package let events: AsyncStream<DirectoryEvent>
        private let continuation: AsyncStream<DirectoryEvent>.Continuation
        private let descriptor: Int32
        private let stopPipe: (read: Int32, write: Int32)

        package init(folder: URL) throws(FileError) {
            descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard descriptor >= 0 else { throw FileError("watched", folder.path) }
            let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE)
            guard inotify_add_watch(descriptor, folder.path, mask) >= 0 else {
                let error = FileError("watched", folder.path)
                close(descriptor)
                throw error
            }
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0, fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0
            else {
                let error = FileError("watched", folder.path)
                close(descriptor)
                throw error
            }
            stopPipe = (ends[0], ends[1])
            (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
            let thread = Thread { [descriptor, stopPipe, continuation] in
                Self.run(descriptor, stop: stopPipe.read, continuation)
            }
            thread.start()
            // Linux allows at most 15 bytes. The name is set here because Foundation ignores one set before the start.
            thread.name = "folder watch"
        }

        deinit {
            continuation.finish()
            close(stopPipe.write)
        }

        private static func run(
            _ descriptor: Int32, stop: Int32, _ continuation: AsyncStream<DirectoryEvent>.Continuation
        ) {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                var polled = [
                    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                ]
                let ready = poll(&polled, 2, -1)
                if ready < 0, errno == EINTR { continue }
                if ready < 0 || polled[1].revents != 0 { break }
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { continue }
                buffer.withUnsafeBytes { report(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: continuation) }
            }
            close(descriptor)
            close(stop)
        }

        /// inotify(7): fixed part, then `len` bytes of a name padded with NULs.
        private static func report(
            _ bytes: UnsafeRawBufferPointer, to continuation: AsyncStream<DirectoryEvent>.Continuation
        ) {
            let fixed = MemoryLayout<inotify_event>.size
            var offset = 0
            while offset + fixed <= bytes.count {
                let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                if mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    continuation.yield(.overflow)
                } else {
                    let name = bytes[(offset + fixed)..<min(offset + fixed + length, bytes.count)].prefix { $0 != 0 }
                    continuation.yield(.changed(String(decoding: name, as: UTF8.self)))
                }
                offset += fixed + length
            }
        }
    }
#endif
