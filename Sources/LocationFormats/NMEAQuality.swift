import LocationModel

/// How a fix came about, in the codes of NMEA 0183.
struct NMEAQuality: Equatable {
    /// GGA's quality: 1 plain, 2 differential, 3 precise (PPS), 4 RTK fixed, 5 RTK float, 6 estimated, 7 manual,
    /// 8 simulated.
    let indicator: Int
    /// RMC's mode: A autonomous, D differential, P precise, R RTK fixed, F RTK float, E estimated, M manual,
    /// S simulated.
    let mode: String

    /// A position that nobody measured now counts as simulated, whatever it was improved by. Satellites joined with
    /// dead reckoning count as a plain fix, since "estimated" means that there were no satellites.
    init(of location: Location) {
        (indicator, mode) =
            switch location.isMadeUp ? .simulated : location.augmentation {
            case nil, .gnssDeadReckoning, .unknown: (1, "A")
            case .dgps: (2, "D")
            case .precise: (3, "P")
            case .rtkFixed: (4, "R")
            case .rtkFloat: (5, "F")
            case .deadReckoning: (6, "E")
            case .timeOnly: (7, "M")
            case .simulated: (8, "S")
            }
    }
}
