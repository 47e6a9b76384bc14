import LocationModel

extension Heading {
    /// The direction of what points up on a device that is held so, instead of that of the device's own top; the same
    /// for a device that lies flat.
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
