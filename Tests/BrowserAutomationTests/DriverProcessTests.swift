import Testing

@testable import BrowserAutomation

@Suite("The browser's own environment")
struct DriverProcessTests {
    @Test(
        "names the owner's screen for a window alone, and never the session of the desktop", arguments: [true, false])
    func environment(isHeaded: Bool) {
        let screen = ["DISPLAY": ":0", "XAUTHORITY": "/home/ada/.Xauthority"]
        let own = screen.merging([
            "WAYLAND_DISPLAY": "", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus", "HOME": "/home/ada",
            "XDG_RUNTIME_DIR": "/run/user/1000", "SSH_AUTH_SOCK": "/run/user/1000/ssh", "BROKER_API_TOKEN": "token",
            "PATH": "/home/ada/bin", "https_proxy": "http://proxy.example",
        ]) { $1 }
        var given = DriverProcess.environment(of: own, home: "/tmp/browser", isHeaded: isHeaded)
        for (name, value) in screen { #expect(given.removeValue(forKey: name) == (isHeaded ? value : nil)) }
        #expect(given.removeValue(forKey: "PATH") == "/usr/local/bin:/usr/bin:/bin")
        #expect(given.removeValue(forKey: "LANG") == "C.UTF-8")
        #expect(Set(given.keys) == ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"])
        #expect(Set(given.values) == ["/tmp/browser"])
    }
}
