@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// Replies of the daemon, as text.
enum Replies {
    static let statusText =
        #"{"accuracy":"full","authorization":"authorizedAlways","authorizationPending":false,"enabled":true,"#
        + #""source":"tracking"}"#

    static func status(continues: Bool = true) -> String {
        "{\"continues\":\(continues),\"parameters\":{\"status\":\(statusText)}}"
    }

    static func pending(continues: Bool = true) -> String {
        status(continues: continues).replacing("authorizedAlways", with: "notDetermined")
    }

    /// A fix whose number is the second at which it was received.
    static func location(_ seconds: Double, continues: Bool = true) -> String {
        "{\"continues\":\(continues),\"parameters\":{\"location\":{\"latitude\":52.5,\"longitude\":13.4,"
            + "\"mode\":\"threeDimensional\",\"age\":0,\"monotonicTime\":\(seconds),\"sequence\":\(Int(seconds)),"
            + "\"source\":{\"name\":\"gpsd\",\"method\":\"gnss\",\"isSimulated\":false,\"isReplayed\":false}}}}"
    }

    /// The answers of a daemon in its usual state.
    static let usual: LiveDaemon.Answer = { call, _ in
        if call.contains("GetLocation") { return [location(7, continues: false)] }
        return [status(continues: call.contains("Watch"))]
    }
}
