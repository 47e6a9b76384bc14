/// How many dimensions a fix has, as the receiver says.
public enum FixMode: String, OpenEnumeration {
    /// Latitude and longitude.
    case twoDimensional
    /// Latitude, longitude and altitude.
    case threeDimensional
    /// A mode of a later version.
    case unknown
}
