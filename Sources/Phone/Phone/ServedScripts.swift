import Automation
import BankScript
import Synchronization

/// The scripts that a phone serves now. Its parts share them, so that a bank that is added on the page is there at once.
///
/// A part reads them anew for each use, and holds what it has read by value: an approval that is under way goes on with the
/// script that was shown.
package final class ServedScripts: Sendable {
    private let registry: Mutex<ScriptRegistry>

    package init(_ registry: ScriptRegistry) {
        self.registry = Mutex(registry)
    }

    package var present: ScriptRegistry { registry.withLock { $0 } }

    /// Serves other scripts from now on, in every part that shares these.
    package func replace(with other: ScriptRegistry) { registry.withLock { $0 = other } }

    /// Serves the script of one more bank from now on. The others stay as they are served, whatever their files are by now.
    ///
    /// - Parameter digest: the one under which it was accepted; nil for a script that is compiled in.
    package func add(_ script: BankScript, acceptedAs digest: ScriptDigest?) {
        registry.withLock { $0 = $0.adding(script, acceptedAs: digest) }
    }
}
