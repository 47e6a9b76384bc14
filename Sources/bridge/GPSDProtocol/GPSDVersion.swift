import CGPSVersion

/// The numbers by which gpsd's programs know the server.
///
/// cgps and xgps warn of each release and protocol but their own. Programs and libgps' header come from one release of
/// the distribution, so the header with which this was built tells theirs.
package struct GPSDVersion: Sendable, Hashable {
    package let release: String
    package let protocolMajor = 3
    package let protocolMinor: Int

    /// Debian 12 has gpsd 3.22 with API 11, Debian 13 gpsd 3.25 with API 14.
    package init(api: Int) {
        (release, protocolMinor) = api >= 14 ? ("3.25", 15) : ("3.22", 14)
    }

    /// That of the header.
    package static let own = GPSDVersion(api: Int(cgpsversion_api_major()))
}
