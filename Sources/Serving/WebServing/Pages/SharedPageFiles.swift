/// The files that all pages of the program have, which the build embeds: pictures, the first rules of the style sheet, and the
/// first part of the script and of the worker. A page's own files follow them.
package enum SharedPageFiles {
    /// The style rules that come before a page's own, so that a page can change them.
    package static let style = PageTemplates.text(PackageResources.base_css)
    /// The functions with which a page's scripts call its server and say what came of it.
    package static let calls = PageTemplates.text(PackageResources.calls_js)
    /// The part of a page's worker that answers without a connection and opens a tapped notice. Its own part comes before it.
    package static let worker = PageTemplates.text(PackageResources.shell_js)

    /// The pictures by their names, with their media types.
    package static let pictures: [String: (type: String, bytes: [UInt8])] = [
        "icon-180.png": ("image/png", PackageResources.icon_180_png),
        "icon-192.png": ("image/png", PackageResources.icon_192_png),
        "icon-512.png": ("image/png", PackageResources.icon_512_png),
        "badge.png": ("image/png", PackageResources.badge_png),
    ]
}
