@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationKit
@_spi(Programs) import SystemSupport
import TestSupport
import Varlink

/// Calls of the administrator, each over a connection of its own to the control socket.
extension DaemonProcess {
    package func connect() throws -> VarlinkConnection {
        guard let waker = Waker() else { throw Failure("no descriptor is left") }
        return try VarlinkConnection(path: control, waker: waker)
    }

    /// Calls a method as the administrator.
    @discardableResult
    package func administer<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable = NoParameters(), as type: Answer.Type = NoParameters.self
    ) throws -> Answer {
        try connect().call(method, parameters, as: type, seconds: 20)
    }

    package func statistics() throws -> Statistics {
        try administer(AdminInterface.Method.getStatistics, as: StatisticsReply.self).statistics
    }
}
