/// The output of `--version` of both programs. The package build fails unless debian/changelog has the same version.
package enum Release {
    package static let version = "0.1.0"
}
