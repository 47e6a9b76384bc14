@_spi(Programs) import LocationModel

/// Whether one receiver's horizontal accuracy is its own statement or gpsd's estimate, which gpsd does not say.
///
/// From 3.20 on gpsd sets `eph`, where the receiver's driver has not, to the horizontal dilution times a range error
/// (`gpsd_error_model` in libgpsd_core.c: `P_UERE_NO_DGPS`, `P_UERE_WITH_DGPS`; the `H_UERE` constants there are for
/// `epx` and `epy` alone). The estimate can therefore be recognized as a product, but not from one fix:
///
/// - The SKY with the dilution comes before the fix or after it, and gpsd keeps an estimate while the dilution changes.
/// - A dilution of the receiver's has two decimals, so its product is exact. One that gpsd computes from the satellites
///   is rounded in the SKY, and many an accuracy that a receiver states lies so near to the product.
/// - gpsd computes `epx` and `epy` from the dilutions of the satellites, with 15 and 3.75 m. Where `eph` comes from
///   these too, it is 19/15 of theirs, whatever the dilution that a receiver says of its position: gpsd 3.25 takes
///   those in part from each.
///
/// An accuracy counts as stated only after several views of the sky could not explain those before it.
struct AccuracyOrigin {
    /// What gpsd multiplies the dilution by, metres: with differential corrections (fix status 2), and without.
    static let (correctedRangeError, rangeError) = (4.75, 19.0)
    /// What `eph` is to the length of `epx` and `epy` where gpsd computes all three: 19/15, and 4.75/3.75.
    private static let ratio = rangeError / 15
    /// gpsd writes three decimals.
    private static let tolerance = 0.0005 + 1e-6
    /// gpsd writes two decimals of a dilution.
    private static let dilutionStep = 0.01
    /// Views of the sky that do not explain the accuracy before them, after which the receiver counts as one that
    /// states accuracies. One may be of another epoch.
    private static let sufficientEvidence = 2
    private static let largestEvidence = 4

    /// What gpsd says of a fix's errors besides, metres.
    struct OtherErrors: Equatable {
        /// `sep`, which gpsd computes from the position's dilution in the same way.
        var spherical: Double?
        /// `epx` and `epy`.
        var east, north: Double?
    }

    /// What a fix says of its errors.
    private struct Sample: Equatable {
        let accuracy: Double
        let isCorrected: Bool
        let others: OtherErrors

        /// Whether the dilutions have two decimals and not more, as the spherical error shows.
        var hasPlainDilutions: Bool { others.spherical.map(AccuracyOrigin.isAnyProduct) ?? false }

        /// Whether it is computed of the same dilutions as `epx` and `epy`.
        var followsFromComponents: Bool {
            guard let east = others.east, let north = others.north else { return false }
            // Each of the three is rounded.
            let product = AccuracyOrigin.ratio * (east * east + north * north).squareRoot()
            return abs(accuracy - product) <= 3 * AccuracyOrigin.tolerance
        }
    }

    private var evidence = 0
    /// The last fix's, while no dilution explains it.
    private var unexplained: Sample?
    private var last: (accuracy: Double, basis: AccuracyBasis)?

    /// The next view of the sky, which may have the dilution of the fixes before it.
    mutating func applyDilution(_ dilution: Double) {
        guard let sample = unexplained else { return }
        unexplained = nil
        if Self.explains(dilution, sample) {
            weaken()
        } else if !Self.isAnyProduct(sample.accuracy) {
            evidence = min(evidence + 1, Self.largestEvidence)
        }
    }

    /// Where the accuracy of the next fix comes from; `nil` if that is not known.
    /// - Parameters:
    ///   - dilutions: the horizontal ones known at present.
    mutating func basis(
        of accuracy: Double, beside others: OtherErrors, isCorrected: Bool, dilutions: [Double]
    ) -> AccuracyBasis? {
        if let last, last.accuracy == accuracy { return last.basis }
        guard !dilutions.isEmpty else { return nil }
        let sample = Sample(accuracy: accuracy, isCorrected: isCorrected, others: others)
        let basis: AccuracyBasis?
        if dilutions.contains(where: { Self.explains($0, sample) }) {
            basis = .fromDOP
            unexplained = nil
            weaken()
        } else {
            unexplained = sample
            basis = evidence >= Self.sufficientEvidence && !Self.isAnyProduct(accuracy) ? .stated : nil
        }
        last = basis.map { (accuracy, $0) }
        return basis
    }

    private mutating func weaken() { evidence = max(0, evidence - 1) }

    private static func explains(_ dilution: Double, _ sample: Sample) -> Bool {
        // The corrections may have come or gone within the epoch.
        if [rangeError, correctedRangeError].contains(where: { abs(sample.accuracy - dilution * $0) <= tolerance }) {
            return true
        }
        if sample.followsFromComponents { return true }
        guard !sample.hasPlainDilutions else { return false }
        let error = sample.isCorrected ? correctedRangeError : rangeError
        return abs(sample.accuracy - dilution * error) <= dilutionStep / 2 * error + tolerance
    }

    /// Whether some dilution of two decimals explains it: of the errors that are none, few percent look so.
    private static func isAnyProduct(_ error: Double) -> Bool {
        [rangeError, correctedRangeError].contains {
            abs(error.remainder(dividingBy: dilutionStep * $0)) <= tolerance
        }
    }
}
