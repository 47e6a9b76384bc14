/// The output of `--version` of both programs. The package build fails unless debian/changelog has the same version.
@_spi(Programs) public enum Release {
    @_spi(Programs) public static let version = "0.1.0"
}
