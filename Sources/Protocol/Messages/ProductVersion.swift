/// The version of this program, which `--version` prints and the MCP server tells its clients.
package enum ProductVersion {
    package static let current = "0.1.0"
}
