public import Varlink

/// `org.locationd.admin`: its description and the names of its methods and errors.
@_spi(Programs) public enum AdminInterface {
    @_spi(Programs) public static let name = "org.locationd.admin"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_admin_varlink, as: UTF8.self))

    @_spi(Programs) public enum Method {
        @_spi(Programs) public static let start = "\(name).Start"
        @_spi(Programs) public static let stop = "\(name).Stop"
        @_spi(Programs) public static let setSource = "\(name).SetSource"
        @_spi(Programs) public static let suspend = "\(name).Suspend"
        @_spi(Programs) public static let resume = "\(name).Resume"
        @_spi(Programs) public static let listClients = "\(name).ListClients"
        @_spi(Programs) public static let disconnect = "\(name).Disconnect"
        @_spi(Programs) public static let reload = "\(name).Reload"
        @_spi(Programs) public static let setLogLevel = "\(name).SetLogLevel"
        @_spi(Programs) public static let getStatistics = "\(name).GetStatistics"
        @_spi(Programs) public static let getMetrics = "\(name).GetMetrics"
        @_spi(Programs) public static let simulate = "\(name).Simulate"
        @_spi(Programs) public static let listAuthorizations = "\(name).ListAuthorizations"
        @_spi(Programs) public static let setAuthorization = "\(name).SetAuthorization"
        @_spi(Programs) public static let resetAuthorization = "\(name).ResetAuthorization"
        @_spi(Programs) public static let getHistory = "\(name).GetHistory"
        @_spi(Programs) public static let listMonitors = "\(name).ListMonitors"
        @_spi(Programs) public static let forgetMonitors = "\(name).ForgetMonitors"
        @_spi(Programs) public static let createToken = "\(name).CreateToken"
        @_spi(Programs) public static let revokeToken = "\(name).RevokeToken"
    }

    @_spi(Programs) public enum Failure {
        @_spi(Programs) public static let noSuchClient = "\(name).NoSuchClient"
        @_spi(Programs) public static let noSuchSource = "\(name).NoSuchSource"
        @_spi(Programs) public static let noSuchPrincipal = "\(name).NoSuchPrincipal"
        @_spi(Programs) public static let noSuchMonitor = "\(name).NoSuchMonitor"
        @_spi(Programs) public static let invalidConfiguration = "\(name).InvalidConfiguration"
        @_spi(Programs) public static let disabled = "\(name).Disabled"
        @_spi(Programs) public static let failed = "\(name).Failed"
    }
}
