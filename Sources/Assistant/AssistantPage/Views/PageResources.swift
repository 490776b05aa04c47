import WebServing

/// The files of `Resources/`, which the build embeds in the executable.
enum PageResources {
    /// The script files by their names. One address serves them in this order: they share their names, and a page needs one
    /// request for all.
    static let scripts = [
        ("calls.js", PackageResources.calls_js), ("passkeys.js", PackageResources.passkeys_js),
        ("notifications.js", PackageResources.notifications_js), ("page.js", PackageResources.page_js),
    ]

    /// The files that are served, with their media types. They hold nothing of any user.
    static let files: [String: (type: String, bytes: [UInt8])] = [
        "style.css": ("text/css; charset=utf-8", PackageResources.style_css),
        "page.js": (
            "text/javascript; charset=utf-8",
            Array(scripts.map { String(decoding: $0.1, as: UTF8.self) }.joined(separator: "\n").utf8)
        ),
        "worker.js": ("text/javascript; charset=utf-8", PackageResources.worker_js),
        "app.webmanifest": ("application/manifest+json", PackageResources.app_webmanifest),
        "offline.html": ("text/html; charset=utf-8", PackageResources.offline_html),
        "icon.svg": ("image/svg+xml", PackageResources.icon_svg),
        "icon-180.png": ("image/png", PackageResources.icon_180_png),
        "icon-192.png": ("image/png", PackageResources.icon_192_png),
        "icon-512.png": ("image/png", PackageResources.icon_512_png),
        "badge.png": ("image/png", PackageResources.badge_png),
    ]

    /// The Mustache templates by their file names.
    static let templates = [
        "alert": PackageResources.alert_mustache, "alertRow": PackageResources.alertRow_mustache,
        "alerts": PackageResources.alerts_mustache, "brief": PackageResources.brief_mustache,
        "briefContent": PackageResources.briefContent_mustache,
        "confirmation": PackageResources.confirmation_mustache,
        "confirmations": PackageResources.confirmations_mustache,
        "connections": PackageResources.connections_mustache, "data": PackageResources.data_mustache,
        "deleted": PackageResources.deleted_mustache, "message": PackageResources.message_mustache,
        "moment": PackageResources.moment_mustache, "page": PackageResources.page_mustache,
        "settings": PackageResources.settings_mustache, "signIn": PackageResources.signIn_mustache,
        "today": PackageResources.today_mustache,
    ]

    /// The compiled templates. Every value is escaped except a page's rendered body.
    static let library = PageTemplates.library(templates)
}
