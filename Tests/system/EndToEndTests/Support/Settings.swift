/// Configurations for tests: what takes seconds by default takes as little as may be.
enum Settings {
    static let quick = "[delivery]\nstale-after = 0.5\nlinger = 0.5\nfailover-hysteresis = 0\n"

    static func gpsd(_ port: UInt16) -> String {
        quick + "[[sources]]\nkind = \"gpsd\"\nport = \(port)\nsilence-timeout = 5\n"
    }

    /// The Eiffel Tower, which stays where it is.
    static let fixed = quick + "[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\naltitude = 35\n"

    /// A journey from Quito, heading wherever chance leads.
    static func simulator(rate: Int = 5) -> String {
        quick + "[[sources]]\nkind = \"simulator\"\nrate = \(rate)\nlatitude = -0.22\nlongitude = -78.5125\n"
    }
}
