import Encodings
import Foundation

/// How Chromium is started: what it may reach, what it keeps, and what it must not do by itself.
struct BrowserOptions: Sendable {
    let binary: URL
    let profile: PrivateProfile
    let proxyPort: Int
    let locale: String
    let isHeaded: Bool
    /// The base64 of the SHA-256 of public keys that are trusted besides the system's authorities.
    let trustedKeys: [String]

    /// The capabilities of a new session (WebDriver BiDi, section 7.1.2).
    var capabilities: JSONValue {
        [
            "alwaysMatch": [
                "browserName": "chrome", "unhandledPromptBehavior": ["default": "ignore"],
                // The driver would wait for a navigation before it takes the command that lets the held request go on.
                "pageLoadStrategy": "none",
                "goog:chromeOptions": [
                    "binary": .string(binary.path), "args": .array(arguments.map(JSONValue.string)),
                    "prefs": preferences,
                    // Drop the driver's own switches that would weaken the browser.
                    "excludeSwitches": ["enable-logging"],
                ],
            ]
        ]
    }

    var arguments: [String] {
        var arguments = [
            "--user-data-dir=\(profile.folder.appending(path: "profile").path)",
            // Every connection goes through our proxy, also those to this machine, and no name is resolved beside it.
            "--proxy-server=http://127.0.0.1:\(proxyPort)", "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            // What does not go through a proxy: WebRTC over UDP, QUIC, and the browser's own resolver.
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--webrtc-ip-handling-policy=disable_non_proxied_udp", "--disable-quic", "--dns-prefetch-disable",
            // What the browser would send or load by itself.
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-default-apps", "--disable-extensions", "--disable-domain-reliability", "--no-pings",
            "--disable-client-side-phishing-detection", "--metrics-recording-only", "--no-first-run",
            "--no-default-browser-check",
            "--disable-features=" + Self.disabledFeatures.joined(separator: ","),
            // What it would keep.
            "--disable-breakpad", "--disable-crash-reporter", "--password-store=basic", "--disk-cache-size=1",
            "--media-cache-size=1", "--disable-gpu-shader-disk-cache",
            "--lang=\(locale)", "--window-size=1280,900",
        ]
        if !isHeaded { arguments.append("--headless=new") }
        if !trustedKeys.isEmpty {
            arguments.append("--ignore-certificate-errors-spki-list=" + trustedKeys.joined(separator: ","))
        }
        return arguments
    }

    private static let disabledFeatures = [
        "AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "DialMediaRouteProvider",
        "DnsOverHttps", "MediaRouter", "OptimizationHints", "OptimizationGuideModelDownloading", "Translate",
        "InterestFeedContentSuggestions", "SpareRendererForSitePerProcess",
    ]

    private var preferences: JSONValue {
        [
            "intl": ["accept_languages": .string(locale)],
            "credentials_enable_service": false,
            "profile": [
                "password_manager_enabled": false, "password_manager_leak_detection": false,
                "default_content_setting_values": ["notifications": 2, "geolocation": 2],
            ],
            "autofill": ["profile_enabled": false, "credit_card_enabled": false],
            "download": ["prompt_for_download": false],
            // A PDF that a page shows inline becomes a download: the viewer sends no event about its document.
            "plugins": ["always_open_pdf_externally": true],
            "safebrowsing": ["enabled": false], "search": ["suggest_enabled": false],
            "net": ["network_prediction_options": 2], "alternate_error_pages": ["enabled": false],
            "webrtc": ["ip_handling_policy": "disable_non_proxied_udp", "multiple_routes_enabled": false],
        ]
    }
}
