/// What a client asks of `Monitor`.
///
/// With a ``name`` the monitor is persisted: called again without ``subjects`` it resumes what is persisted, with them
/// it replaces that.
public struct MonitorRequest: ClientRequest {
    /// The name under which the monitor outlives its connection, 1 to ``nameLimit`` bytes; `nil` for one that ends with
    /// it.
    public var name: String?
    /// What is monitored; `nil` for what is persisted under the name.
    public var subjects: MonitorSubjects?
    /// Uses the fixes that other clients' demand produces, and starts no receiver.
    public var passive = false
    /// What it is for, at most 256 bytes; shown to the administrator.
    public var purpose: String?
    /// What calls itself the client's library, 1 to ``InvalidField/libraryLimit`` bytes.
    @_spi(Programs) public var library: String?

    /// The longest name, bytes of UTF-8.
    public static let nameLimit = 128

    /// A request by its members.
    public init(
        name: String? = nil, subjects: MonitorSubjects? = nil, passive: Bool = false, purpose: String? = nil
    ) {
        self.name = name
        self.subjects = subjects
        self.passive = passive
        self.purpose = purpose
    }

    /// Checks every member.
    ///
    /// - Throws: the first member that the service does not accept.
    public func validate() throws(InvalidField) {
        if let name { try Self.checkLength(ofName: name) }
        try InvalidField.checkPurpose(purpose)
        try InvalidField.checkLibrary(library)
        try (subjects?.regions ?? []).checkIdentifiers(in: "regions")
        guard name != nil || subjects?.isEmpty == false else {
            throw InvalidField(
                "regions",
                "without a name there is nothing to monitor; ask for regions, significantChange or visits")
        }
        // A monitor that an earlier version has persisted under such a name can be resumed, and removed.
        guard subjects == nil || name?.isPrintable != false else { throw InvalidField("name", Region.unprintable) }
    }

    @_spi(Programs) public static func checkLength(ofName name: String) throws(InvalidField) {
        guard (1...nameLimit).contains(name.utf8.count) else { throw InvalidField("name", "1 to 128 bytes") }
    }
}

/// What a monitor reports: the borders of regions, significant changes of the position, visits.
public struct MonitorSubjects: Sendable, Hashable {
    /// The regions, whose identifiers are unique.
    public var regions: [Region]
    /// What counts as a significant change; `nil` if none is reported.
    public var significantChange: SignificantChange?
    /// Whether visits are reported.
    public var visits: Bool

    /// Subjects by their members.
    public init(regions: [Region] = [], significantChange: SignificantChange? = nil, visits: Bool = false) {
        self.regions = regions
        self.significantChange = significantChange
        self.visits = visits
    }

    /// True if there is nothing to report.
    public var isEmpty: Bool { regions.isEmpty && significantChange == nil && !visits }
}

extension MonitorRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, regions, significantChange, visits, passive, purpose, library
    }

    /// Decodes the wire's form, in which the subjects are members of the request; without any of them there are no
    /// subjects.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        let regions = try container.decodeIfPresent([Region].self, forKey: .regions)
        let significantChange = try container.decodeIfPresent(SignificantChange.self, forKey: .significantChange)
        let visits = try container.decodeIfPresent(Bool.self, forKey: .visits)
        if regions != nil || significantChange != nil || visits != nil {
            subjects = MonitorSubjects(
                regions: regions ?? [], significantChange: significantChange, visits: visits ?? false)
        }
        passive = try container.decodeIfPresent(Bool.self, forKey: .passive) ?? false
        purpose = try container.decodeIfPresent(String.self, forKey: .purpose)
        library = try container.decodeIfPresent(String.self, forKey: .library)
    }

    /// Encodes the wire's form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(name, forKey: .name)
        if let subjects {
            // Present even if empty: an absent member asks for what is persisted.
            try container.encode(subjects.regions, forKey: .regions)
            try container.encodeIfPresent(subjects.significantChange, forKey: .significantChange)
            try container.encodeIfPresent(subjects.visits ? true : nil, forKey: .visits)
        }
        try container.encodeIfPresent(passive ? true : nil, forKey: .passive)
        try container.encodeIfPresent(purpose, forKey: .purpose)
        try container.encodeIfPresent(library, forKey: .library)
    }
}

extension Region {
    static let unprintable = "control characters and marks of direction are not allowed; leave them out"
}

extension [Region] {
    /// Identifiers have to be unique, because a monitor knows each region by its identifier, and printable, because
    /// lists and shell completion show them.
    @_spi(Programs) public func checkIdentifiers(in field: String) throws(InvalidField) {
        var seen: Set<String> = []
        for (index, region) in enumerated() where !seen.insert(region.identifier).inserted {
            throw InvalidField("\(field)[\(index)].identifier", "another region of the call has it")
        }
        if let index = firstIndex(where: { !$0.identifier.isPrintable }) {
            throw InvalidField("\(field)[\(index)].identifier", Region.unprintable)
        }
    }
}

/// What the service has persisted under a name for one user, whether or not a connection has it now.
public struct NamedMonitor: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Whether a connection has it now.
    public var isActive: Bool
    /// What it monitors.
    public var subjects: MonitorSubjects
    /// What is known of each region.
    public var reports: [RegionReport]

    /// A monitor by its members.
    public init(
        name: String, isActive: Bool = false, subjects: MonitorSubjects = MonitorSubjects(),
        reports: [RegionReport] = []
    ) {
        self.name = name
        self.isActive = isActive
        self.subjects = subjects
        self.reports = reports
    }
}
