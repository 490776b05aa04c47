import Foundation

/// Ends a child process with its parent. The child's standard input is a pipe whose other end only the parent holds, so it
/// ends with the parent, whatever ended that.
package enum ParentWatch {
    /// Calls `body` once standard input is over. Three seconds later the process ends, even if `body` did not manage that.
    package static func onEnd(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || (count < 0 && errno != EINTR) { break }
            }
            body()
            sleep(3)
            _exit(0)
        }
    }
}
