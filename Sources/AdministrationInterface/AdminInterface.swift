package import Varlink

/// `org.locationd.admin`: its description and the names of its methods and errors.
package enum AdminInterface {
    package static let name = "org.locationd.admin"
    package static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_admin_varlink, as: UTF8.self))

    package enum Method {
        package static let start = "\(name).Start"
        package static let stop = "\(name).Stop"
        package static let setSource = "\(name).SetSource"
        package static let suspend = "\(name).Suspend"
        package static let resume = "\(name).Resume"
        package static let listClients = "\(name).ListClients"
        package static let disconnect = "\(name).Disconnect"
        package static let reload = "\(name).Reload"
        package static let setLogLevel = "\(name).SetLogLevel"
        package static let getStatistics = "\(name).GetStatistics"
        package static let getMetrics = "\(name).GetMetrics"
        package static let simulate = "\(name).Simulate"
        package static let listAuthorizations = "\(name).ListAuthorizations"
        package static let setAuthorization = "\(name).SetAuthorization"
        package static let resetAuthorization = "\(name).ResetAuthorization"
        package static let getHistory = "\(name).GetHistory"
        package static let listMonitors = "\(name).ListMonitors"
        package static let forgetMonitors = "\(name).ForgetMonitors"
        package static let createToken = "\(name).CreateToken"
        package static let revokeToken = "\(name).RevokeToken"
    }

    package enum Failure {
        package static let noSuchClient = "\(name).NoSuchClient"
        package static let noSuchSource = "\(name).NoSuchSource"
        package static let noSuchPrincipal = "\(name).NoSuchPrincipal"
        package static let noSuchMonitor = "\(name).NoSuchMonitor"
        package static let invalidConfiguration = "\(name).InvalidConfiguration"
        package static let disabled = "\(name).Disabled"
        package static let failed = "\(name).Failed"
    }
}
