import BankScript
import Clocks
import Foundation

// The cookies by which the bank knows this device: they come into the session before its first page, and what the bank has
// made of them is kept at the end. No other cookie outlives a visit.

extension ScriptRunner {
    /// The longest time for an engine to take a device, or to give it.
    private static let deviceLimit: Duration = .seconds(15)

    /// Shows the bank the device of the visit before. Where that fails, the bank asks for a code, as at the first visit.
    ///
    /// - Returns: the device that was kept; nil for none.
    func recallDevice(of script: BankScript, _ engine: any NavigationEngine) async -> KnownDevice? {
        guard !script.device.isEmpty, let memory = services.devices else { return nil }
        do {
            let kept = try await memory.device(atBank: script.id)
            let cookies = kept?.cookies(named: script.device, to: script.origins, at: services.clock.now) ?? []
            if !cookies.isEmpty {
                try await withTimeLimit(Self.deviceLimit, on: SystemClock()) {
                    try await leavingBehind(after: .zero) { try await engine.put(cookies) }
                }
            }
            return kept
        } catch {
            services.tell(
                .warned(0, "\(script.name) is not shown the device that it knows: \(sanitised("\(error)"))"))
            return nil
        }
    }

    /// Keeps the device as the bank left it, also at the end of a visit that failed: the bank may have asked for a code in it.
    ///
    /// - Parameter before: the device that was kept. It stays as it is where the browser can no longer be asked.
    func keepDevice(_ before: KnownDevice?, of script: BankScript, _ engine: any NavigationEngine) async {
        guard !script.device.isEmpty, let memory = services.devices else { return }
        let services = services
        // In a task of its own, so that a cancelled visit keeps it too.
        await Task {
            do {
                try await withTimeLimit(Self.deviceLimit, on: SystemClock()) {
                    // An engine that is a plug-in may hang.
                    let cookies = try await leavingBehind(after: .zero) {
                        try await engine.deviceCookies(named: script.device)
                    }
                    for cookie in cookies where cookie.expiresAt == nil {
                        services.tell(
                            .warned(
                                0,
                                "the cookie “\(sanitised(cookie.name))” is not kept: the bank set it for this session, and a device's lasts"
                            ))
                    }
                    let after = KnownDevice(cookies, origins: script.origins, at: services.clock.now)
                    guard after != nil || before != nil, after?.isSame(as: before) != true else { return }
                    try await memory.keep(after, atBank: script.id)
                }
            } catch {
                services.tell(
                    .warned(0, "the device that \(script.name) knows was not kept: \(sanitised("\(error)"))"))
            }
        }.value
    }
}
