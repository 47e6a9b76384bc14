import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) public import LocationModel

extension CLLocation {
    /// The CoreLocation location for a location of the service.
    ///
    /// - Parameter arrival: when the location reached the daemon, on the wall clock.
    @_spi(Programs) public convenience init(_ location: Location, arrival: Date) {
        var values = CLLocationValues(CLLocationCoordinate2D(location.coordinate))
        values.horizontalAccuracy = location.horizontalAccuracy ?? location.estimatedHorizontalAccuracy
        if let altitude = location.altitude {
            values.altitude = altitude
            values.ellipsoidalAltitude = location.ellipsoidalAltitude ?? altitude
            values.verticalAccuracy = location.verticalAccuracy ?? location.estimatedVerticalAccuracy
        } else {
            values.ellipsoidalAltitude = location.ellipsoidalAltitude ?? 0
        }
        values.course = location.course ?? -1
        values.courseAccuracy = location.courseAccuracy ?? -1
        values.speed = location.speed ?? -1
        values.speedAccuracy = location.speedAccuracy ?? -1
        values.timestamp = Date(location.timestamp, arrival: arrival)
        values.source = CLLocationValues.Source(
            isSimulatedBySoftware: location.source.isSimulated || location.source.isReplayed
                || location.augmentation == .simulated,
            isProducedByAccessory: false)
        self.init(values)
    }

    /// The same, where `now` is the current wall clock time of the machine that the daemon runs on.
    @_spi(Programs) public convenience init(_ location: Location, now: Date = Date()) {
        self.init(location, arrival: now - location.age)
    }
}

extension Location {
    /// The estimated accuracy, metres, if the receiver reports none.
    ///
    /// Dilution of precision times the range error that gpsd assumes for receivers that give no estimate
    /// (`gpsd_error_model`, 95 % confidence): 19 m, with differential corrections 4.75 m.
    var estimatedHorizontalAccuracy: Double {
        hdop.map { $0 * (isCorrected ? 4.75 : 19) } ?? 100
    }

    /// The same for altitudes: gpsd assumes 23 m and 5.75 m. Without a dilution, in the same proportion.
    var estimatedVerticalAccuracy: Double {
        vdop.map { $0 * (isCorrected ? 5.75 : 23) } ?? 150
    }

    private var isCorrected: Bool {
        switch augmentation {
        case .dgps, .rtkFixed, .rtkFloat: true
        default: false
        }
    }
}

extension Date {
    /// A receiver's time; the time of arrival if there is none, or if the two differ by more than a day: receivers
    /// whose GPS week is wrong by 1024, or that start in 1980, are more common than clocks that are a day wrong.
    init(_ time: UTCTime?, arrival: Date) {
        guard let time else {
            self = arrival
            return
        }
        let reported = Date(timeIntervalSince1970: Double(time.seconds) + Double(time.nanoseconds) / 1e9)
        self = abs(reported.timeIntervalSince(arrival)) > 86_400 ? arrival : reported
    }
}
