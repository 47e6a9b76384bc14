// Foundation is exported, as in Apple's module: a source file that imports only this module compiles.
@_exported public import Foundation

/// Degrees of latitude, positive to the north, or of longitude, positive to the east, on WGS 84.
public typealias CLLocationDegrees = Double
/// Metres by which a location may be wrong; negative if the location is invalid.
public typealias CLLocationAccuracy = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres per second; negative if invalid.
public typealias CLLocationSpeed = Double
/// Metres per second by which a speed may be wrong; negative if the speed is invalid.
public typealias CLLocationSpeedAccuracy = Double
/// Degrees clockwise from north, 0..<360; negative if invalid.
public typealias CLLocationDirection = Double
/// Degrees by which a direction may be wrong; negative if the direction is invalid.
public typealias CLLocationDirectionAccuracy = Double
/// Microteslas.
public typealias CLHeadingComponentValue = Double

/// The best accuracy, combined with other sensors; here the same as ``kCLLocationAccuracyBest``.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The best accuracy.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// To ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// To a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// To a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// To three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// The accuracy without authorization for full accuracy. Apple documents no number; this one is greater than all
/// others.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

/// Every location is delivered, however near to the last.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// Every heading is delivered, however near to the last.
public let kCLHeadingFilterNone: CLLocationDegrees = -1
/// The greatest distance.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// The greatest time.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

/// The group of a beacon.
public typealias CLBeaconMajorValue = UInt16
/// The number of a beacon within its group.
public typealias CLBeaconMinorValue = UInt16
