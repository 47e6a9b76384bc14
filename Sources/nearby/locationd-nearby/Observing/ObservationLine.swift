import AccessPoints
import FoundationEssentials
@_spi(Programs) import LocationModel

/// One line of a file of observations: `{"time": 12.5, "accessPoints": [{"bssid": "00:1a:2b:3c:4d:5e", "signal": -61,
/// "frequency": 2437, "ssid": "home"}]}`.
///
/// `time` is in seconds of CLOCK_BOOTTIME; absent for the moment at which the line is read. `signal` is in dBm,
/// `frequency` in MHz. `ssid` is absent for a hidden network.
struct ObservationLine: Decodable {
    let time: Double?
    let accessPoints: [AccessPoint]

    struct AccessPoint: Decodable {
        let bssid: String
        let signal: Double
        let ssid: String?
    }

    /// Why a line is no observation.
    enum Mistake: Error, Equatable {
        case notJSON
        case noAddress
        case future

        var reason: String {
            switch self {
            case .notJSON: #"a line that is not {"accessPoints": [{"bssid": "…", "signal": …, "ssid": "…"}]}"#
            case .noAddress: "a bssid that is not six bytes in hexadecimal digits, with colons"
            case .future: "a time that is later than now: it is in seconds of CLOCK_BOOTTIME"
            }
        }
    }

    static func observation(_ line: [UInt8], at now: BootInstant) throws(Mistake) -> AccessPointObservation {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(line)) else { throw .notJSON }
        let time = read.time.map { BootInstant(seconds: $0) } ?? now
        // A file may be a little ahead of the clock that is read here.
        guard time.seconds(since: now) <= 1 else { throw .future }
        var accessPoints: [ReceivedAccessPoint] = []
        for accessPoint in read.accessPoints {
            guard let address = HardwareAddress(accessPoint.bssid) else { throw .noAddress }
            accessPoints.append(
                ReceivedAccessPoint(address: address, signal: accessPoint.signal, network: accessPoint.ssid))
        }
        return AccessPointObservation(time: min(time, now), accessPoints: accessPoints)
    }
}
