/// How the device is held.
@nonexhaustive(warn)
public enum CLDeviceOrientation: Int32, Sendable {
    /// Nobody knows.
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
