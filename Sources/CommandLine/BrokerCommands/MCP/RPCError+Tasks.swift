import Terminal

extension RPCError {
    /// The 2026-07-28 schema's `MissingRequiredClientCapabilityError`, for the extension of tasks.
    static let missingTasks = RPCError(
        code: -32021, message: "the client does not declare the extension \(RequestTasks.name)",
        data: ["requiredCapabilities": ["extensions": RequestTasks.support]])
}
