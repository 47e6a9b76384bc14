public import Varlink

/// `org.locationd.admin`: its description and the names of its methods and errors.
@_spi(Programs) public enum AdminInterface {
    @_spi(Programs) public static let name = "org.locationd.admin"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_admin_varlink, as: UTF8.self))

}
