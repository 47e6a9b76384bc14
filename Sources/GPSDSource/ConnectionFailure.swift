import LocationModel

/// Why gpsd cannot be heard, each with the next step for the administrator.
package enum ConnectionFailure: Equatable {
    case nameNotFound(String)
    case refused
    case unreachable(String)
    case closedWithoutWord
    case closed
    case noGreeting
    case notGPSD
    case noWatch
    case errorReply(String)
    case silent(seconds: Int, devices: [String])

    func reason(for endpoint: GPSDEndpoint) -> String {
        switch self {
        case .nameNotFound(let why):
            "the host name \(endpoint.host) was not found (\(why)); check `host` in locationd.toml"
        case .refused:
            "nothing listens on \(endpoint): gpsd is not running there; `systemctl start gpsd.socket` starts it"
        case .unreachable(let why):
            "gpsd at \(endpoint) cannot be reached: \(why)"
        case .closedWithoutWord:
            "gpsd at \(endpoint) closed the connection without a word, as it does when it has its 64 clients already"
        case .closed:
            "gpsd at \(endpoint) closed the connection: it has ended or restarts"
        case .noGreeting:
            "what listens on \(endpoint) did not greet within 10 s; gpsd may be probing a receiver, or it is not gpsd"
        case .notGPSD:
            "what listens on \(endpoint) does not speak gpsd's protocol; check `host` and `port` in locationd.toml"
        case .noWatch:
            "gpsd at \(endpoint) did not answer the request for reports within 10 s; it may be probing a receiver"
        case .errorReply(let message):
            "gpsd at \(endpoint) refused the request for reports (\(Printable.text(message))); "
                + (endpoint.device == nil ? "its log may tell more" : "check `device` in locationd.toml")
        case .silent(let seconds, let devices) where devices.isEmpty:
            "gpsd at \(endpoint) has no receiver and was silent for \(seconds) s; plug one in, or name its device in "
                + "/etc/default/gpsd; it may also lack permission to open it"
        case .silent(let seconds, let devices):
            "gpsd at \(endpoint) said nothing for \(seconds) s; is \(Printable.text(devices)) powered and sending?"
        }
    }
}
