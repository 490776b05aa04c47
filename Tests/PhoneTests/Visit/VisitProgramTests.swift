import Testing

@testable import Phone

@Suite("The program that visits banks")
struct VisitProgramTests {
    @Test("gets what says where programs are and how to write dates, and neither tokens nor the session of the desktop")
    func environment() {
        let own = [
            "PATH": "/usr/bin", "LANG": "de_DE.UTF-8", "TZ": "Europe/Berlin", "HOME": "/home/ada", "USER": "ada",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/run/bus",
            "XDG_RUNTIME_DIR": "/run/user/1000", "DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0",
            "XAUTHORITY": "/home/ada/.Xauthority", "SSH_AUTH_SOCK": "/run/user/1000/ssh",
            "BROKER_API_TOKEN": "token", "https_proxy": "http://proxy.example", "LD_PRELOAD": "/tmp/other.so",
        ]
        #expect(
            VisitProgram.environment(of: own)
                == ["PATH": "/usr/bin", "LANG": "de_DE.UTF-8", "TZ": "Europe/Berlin", "HOME": "/nonexistent"])
    }
}
