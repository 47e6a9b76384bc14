/// What made a fix better, or other, than a plain satellite fix. A plain fix has none.
public enum Augmentation: String, OpenEnumeration {
    /// Differential corrections (ground station or SBAS).
    case dgps
    /// Real-time kinematic, integer ambiguities resolved: centimetres.
    case rtkFixed
    /// Real-time kinematic, ambiguities not resolved: decimetres.
    case rtkFloat
    /// Inertial or odometer only, no satellites.
    case deadReckoning
    /// Satellites joined with dead reckoning.
    case gnssDeadReckoning
    /// The position is a surveyed or entered one; only time is measured.
    case timeOnly
    /// The receiver itself simulates.
    case simulated
    /// Precise Positioning Service, P(Y) code.
    case precise
    /// An augmentation of a later version.
    case unknown
}
