/// Numbers as `xsd:decimal`: no exponent, and no more than the 18 digits that every schema processor has to take.
enum GPXNumber {
    /// To nine places, which is a tenth of a millimetre in a coordinate; `nil` if absent, or 1e9 and more.
    static func decimal(_ number: Double?) -> String? {
        guard let number, number.magnitude < 1e9 else { return nil }
        return rounded(number).plainDecimal
    }

    /// The schema's `degreesType`, 0..<360.
    static func direction(_ degrees: Double?) -> String? {
        guard let turned = degrees?.fullCircleDegrees else { return nil }
        return decimal(rounded(turned) < 360 ? turned : 0)
    }

    /// The schema's `longitudeType`, which ends just before 180: the same meridian is -180.
    static func longitude(_ degrees: Double) -> String? {
        decimal(rounded(degrees) < 180 ? degrees : -180)
    }

    private static func rounded(_ number: Double) -> Double { (number * 1e9).rounded() / 1e9 }
}
