import CNetworkNamespace
import Foundation

/// Sockets of this process in the network of the browser.
///
/// The browser and its driver run in a network namespace that has no interface but loopback. What they listen on cannot
/// be reached from outside, by no user; and they reach nothing but the proxy that serves ``listener``.
struct NamespaceSockets: Sendable {
    /// Listens on a free port, for the proxy.
    let listener: CInt
    /// Connects to the driver.
    let client: CInt

    /// Opens the sockets in the namespaces of a process.
    ///
    /// - Throws: ``BrowserError`` of code `unsupported`.
    static func open(in process: Int32) throws(BrowserError) -> NamespaceSockets {
        let result = countersign_open_sockets(process)
        guard result.step == 0 else {
            let step =
                switch Int(result.step) {
                case COUNTERSIGN_STEP_ENTER: "it cannot be entered"
                case COUNTERSIGN_STEP_LOOPBACK: "its loopback cannot be switched on"
                case COUNTERSIGN_STEP_SOCKETS: "no socket can be opened in it"
                default: "it cannot be found"
                }
            throw unsupported("\(step): \(String(cString: strerror(result.error)))")
        }
        return NamespaceSockets(listener: result.listener, client: result.client)
    }

    // Short, because failures cut long messages.
    static func unsupported(_ reason: String) -> BrowserError {
        BrowserError(
            .unsupported,
            "the browser cannot have a network of its own (\(reason.prefix(100))); allow unprivileged user namespaces, or "
                + "use --shared-network and accept that other users of this machine can take over the browser")
    }
}
