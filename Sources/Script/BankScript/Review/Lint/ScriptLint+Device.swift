// Checks of the cookies by which a bank knows a device.

extension ScriptLint {
    mutating func checkDevice() {
        guard !script.device.isEmpty else { return }
        for name in script.device where !DeviceCookieName.isValid(name) {
            report(
                "device", .error, "“\(name)” cannot be the name of a cookie",
                hint: "copy it from the bank's Set-Cookie, such as device: [trusted_device]", at: nil, about: "device")
        }
        if script.device.count > DeviceCookieName.most {
            report(
                "device", .error,
                "a script may name \(DeviceCookieName.most) cookies of the device, not \(script.device.count)",
                hint: "name those alone that the bank sets when it remembers a device; the others are its session's",
                at: nil, about: "device")
        }
        if script.engine != .html, script.engine != .browser {
            report(
                "device", .error, "the engine \(script.engine.rawValue) keeps no cookies",
                hint: "leave out “device”", at: nil, about: "device")
        }
        checkCapturesOfDevice()
        let steps = script.stepsForOnePeriod
        guard steps.allActions.contains(where: { $0.kind.facts.contains(.asksForCode) }) else {
            report(
                "device", .warning, "no step asks for a code, which a bank asks of a device that it does not know",
                hint: "leave out “device”, or add the step under a “when”", at: nil, about: "device")
            return
        }
        if let step = steps.first(where: { $0.action.kind.facts.contains(.asksForCode) }) {
            report(
                "device", .warning, "the step asks for a code at each visit, also when the bank knows the device",
                hint: "- when: { path: /code }, then: [ … ], with the condition that holds where the bank asks",
                at: step.mark)
        }
    }

    private mutating func checkCapturesOfDevice() {
        let passed = script.interruptions.flatMap { interruption -> [Step] in
            if case .pass(let steps) = interruption.response { steps } else { [] }
        }
        for step in (script.stepsForOnePeriod + passed + script.finally).flattened
        where script.capturesDevice(step.action) {
            report(
                "device", .error, "a cookie of the device is a credential, which no step captures",
                hint: "leave out this capture: the cookie is sent by itself", at: step.mark)
        }
    }
}
