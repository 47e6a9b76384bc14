@_spi(Programs) import LocationModel

/// The process that a decision is about.
enum DecidedProcess {
    /// Checks the member `process` of a decision.
    ///
    /// - Parameter pid: `nil` for all programs.
    static func validate(_ pid: Int?, ofDenial isDenial: Bool) throws(InvalidField) {
        guard let pid else { return }
        guard isProgram(pid) else { throw InvalidField("process", "the pid of a program, 2 to 2147483647") }
        guard !isDenial else { throw InvalidField("process", "a denial is about all programs of the user") }
    }

    /// Whether a process of this number may be a program's. 1 is the system's first process.
    static func isProgram(_ pid: Int) -> Bool { pid > 1 && pid <= Int(Int32.max) }
}

/// For how long a decision about who may know the position may hold.
@_spi(Programs) public enum DecisionTerm {
    /// The longest: a year, seconds.
    @_spi(Programs) public static let limit = 31_536_000.0

    /// Checks the member `duration` of a decision.
    ///
    /// - Parameter duration: seconds; `nil` for ever.
    static func validate(_ duration: Double?, ofDenial isDenial: Bool) throws(InvalidField) {
        guard let duration else { return }
        guard duration > 0, duration <= limit else {
            throw InvalidField("duration", "seconds, more than 0 and at most 31536000")
        }
        guard !isDenial else { throw InvalidField("duration", "a denial has no term") }
    }
}
