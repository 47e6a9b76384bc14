@_spi(Programs) import LocationModel

/// How the device is held.
@nonexhaustive(warn)
public enum CLDeviceOrientation: Int32, Sendable {
    /// Not known.
    case unknown = 0
    /// Upright.
    case portrait = 1
    /// Upside down.
    case portraitUpsideDown = 2
    /// Upright, its top to the left.
    case landscapeLeft = 3
    /// Upright, its top to the right.
    case landscapeRight = 4
    /// Lying on its back.
    case faceUp = 5
    /// Lying on its face.
    case faceDown = 6
}

extension Heading {
    /// The heading of the direction that points up in this orientation of the device; unchanged for a device that lies
    /// flat.
    func seen(by orientation: CLDeviceOrientation) -> Heading {
        var seen = self
        seen.magneticHeading = magneticHeading.map { ($0 + orientation.turn).truncatingRemainder(dividingBy: 360) }
        seen.trueHeading = trueHeading.map { ($0 + orientation.turn).truncatingRemainder(dividingBy: 360) }
        return seen
    }
}

extension CLDeviceOrientation {
    /// Degrees clockwise from the device's top to what points up.
    fileprivate var turn: Double {
        switch self {
        case .unknown, .portrait, .faceUp, .faceDown: 0
        case .landscapeLeft: 90
        case .portraitUpsideDown: 180
        case .landscapeRight: 270
        }
    }
}
