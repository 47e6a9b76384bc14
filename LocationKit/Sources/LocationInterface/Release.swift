/// The output of `--version` of both programs. The package build fails unless debian/changelog has the same version.
@_spi(Programs) public enum Release {
    @_spi(Programs) public static let version = "0.1.0"
    /// What programs of LocationKit state as their library.
    @_spi(Programs) public static let library = "LocationKit \(version)"
}
