/// What both programs answer to `--version`. The package is built only if debian/changelog names the same.
package enum Release {
    package static let version = "0.1.0"
}
