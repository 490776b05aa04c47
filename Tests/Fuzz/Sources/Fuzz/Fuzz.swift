import Foundation

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// A function under test. It returns for every input, and traps when the module breaks a promise.
typealias FuzzTarget = @Sendable ([UInt8]) -> Void

/// `Fuzz TARGET [libFuzzer's options and folders]`, or `Fuzz --list`.
@main
struct Fuzz {
    private static let targets: [String: FuzzTarget] = [
        "pages": fuzzPage, "selectors": fuzzSelector, "urls": fuzzURL, "json": fuzzJSON, "jsonpath": fuzzJSONPath,
        "envelopes": fuzzEnvelope, "manifests": fuzzManifest, "otpauth": fuzzOTPAuth, "tokens": fuzzTokenImport,
        "pairing": fuzzPairingText, "messages": fuzzPairingMessage, "policies": fuzzPolicy,
        "scripts": fuzzScript, "templates": fuzzTemplate, "archives": fuzzArchive, "surveys": fuzzSurvey,
        "parameters": fuzzParameter, "searches": fuzzJSONSearch, "recorders": fuzzStepRecording,
        "shell": fuzzShellLine, "documents": fuzzDocument, "bookings": fuzzTransactions, "cbor": fuzzCBOR,
        "evidence": fuzzEvidence, "passkeys": fuzzPasskey, "webtokens": fuzzWebToken, "proxy": fuzzProxyRequest,
        "browser": fuzzBrowserEvents, "google": fuzzGoogleAnswer, "mail": fuzzMail, "push": fuzzSubscription,
        "settings": fuzzSettings, "postgres": fuzzPostgresAddress, "fints": fuzzFinTS, "challenges": fuzzChallenge,
        "collections": fuzzCollection, "vouches": fuzzVouch, "programs": fuzzRemoteProgram,
        "bankjson": fuzzForeignJSON, "columns": fuzzColumns, "bookingtexts": fuzzBookingText, "mcp": fuzzContextCall,
    ]

    private nonisolated(unsafe) static var chosen: FuzzTarget = { _ in }

    /// Replaces libFuzzer's own `main`.
    static func main() {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        if name == "--list" {
            for name in targets.keys.sorted() { print(name) }
            return
        }
        guard let target = targets[name] else {
            FileHandle.standardError.write(Data("no target “\(name)”; there are \(targets.keys.sorted())\n".utf8))
            exit(2)
        }
        chosen = target
        // libFuzzer expects the program's name first, then its own arguments.
        var count = CommandLine.argc - 1
        var arguments = CommandLine.unsafeArgv + 1
        exit(runFuzzer(&count, &arguments, fuzzOneInput))
    }

    fileprivate static func take(_ input: [UInt8]) { chosen(input) }
}

/// The entry point that libFuzzer links against.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.take(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Ends the program with the broken promise. A precondition would not print its message in a release build.
func promise(
    _ holds: @autoclosure () -> Bool, _ words: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) {
    if !holds() { fatalError("broken: \(words().replacing("\0", with: "\\0"))", file: file, line: line) }
}

/// Splits an input into its first line and the rest.
func firstLine(of input: [UInt8]) -> (line: String, rest: ArraySlice<UInt8>) {
    let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
    return (String(decoding: input[..<end], as: UTF8.self), input[end...].dropFirst())
}
