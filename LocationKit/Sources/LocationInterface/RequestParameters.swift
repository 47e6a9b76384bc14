@_spi(Programs) public import LocationModel

/// A program that waits for a decision, by what it says of itself; with unprintable characters escaped.
@_spi(Programs) public struct WaitingProgram: Codable, Sendable, Hashable {
    /// What it calls itself, or is called by the bridge that serves it.
    @_spi(Programs) public var name: String?
    @_spi(Programs) public var purpose: String?

    @_spi(Programs) public init(name: String?, purpose: String? = nil) {
        self.name = name
        self.purpose = purpose
    }

    /// Whether it is a part of the desktop, by the desktop id that it claims.
    @_spi(Programs) public var isDesktopPart: Bool {
        name.flatMap(DesktopID.id(in:)).map(DesktopID.desktopParts.contains) ?? false
    }
}

/// A request for authorization that waits for a decision, in the replies of `WatchRequests`.
@_spi(Programs) public struct PendingAuthorization: Codable, Sendable, Hashable {
    @_spi(Programs) public typealias Level = RequestAuthorizationParameters.Level

    @_spi(Programs) public var number: Int64
    @_spi(Programs) public var since: UTCTime
    @_spi(Programs) public var level: Level
    /// True if full accuracy is requested too; else `nil`.
    @_spi(Programs) public var fullAccuracy: Bool?
    /// With unprintable characters escaped.
    @_spi(Programs) public var purpose: String?
    /// What the programs that wait call themselves, at most ``programLimit``; with unprintable characters escaped.
    @_spi(Programs) public var programs: [String]
    /// The programs that wait and say anything of themselves, at most ``programLimit``; `nil` from a daemon that does
    /// not tell them.
    @_spi(Programs) public var waiting: [WaitingProgram]?
    /// The pids of those of ``programs`` that are in one known process; `nil` if none is.
    @_spi(Programs) public var processes: [String: Int]?

    @_spi(Programs) public static let programLimit = 5

    @_spi(Programs) public init(
        number: Int64, since: UTCTime, level: Level, fullAccuracy: Bool? = nil, purpose: String? = nil,
        programs: [String] = [], waiting: [WaitingProgram]? = nil, processes: [String: Int]? = nil
    ) {
        self.number = number
        self.since = since
        self.level = level
        self.fullAccuracy = fullAccuracy
        self.purpose = purpose
        self.programs = programs
        self.waiting = waiting
        self.processes = processes
    }

    /// The process of the program that waits, if it is the only one beside parts of the desktop: the person may let it
    /// alone know the position.
    @_spi(Programs) public var onlyProcess: Int? {
        let others = (waiting ?? programs.map { WaitingProgram(name: $0) }).filter { !$0.isDesktopPart }
        guard let name = others.first?.name, others.allSatisfy({ $0.name == name }) else { return nil }
        return processes?[name]
    }
}

/// The most that a user may decide about its own programs.
@_spi(Programs) public struct DecisionCeiling: Codable, Sendable, Hashable {
    @_spi(Programs) public enum Authorization: String, ClosedEnumeration {
        case authorizedWhenInUse, authorizedAlways
    }

    @_spi(Programs) public var authorization: Authorization
    @_spi(Programs) public var accuracy: SetAuthorizationParameters.Accuracy
    /// Seconds; `nil` if a decision needs no term.
    @_spi(Programs) public var longest: Double?

    @_spi(Programs) public init(
        authorization: Authorization, accuracy: SetAuthorizationParameters.Accuracy, longest: Double? = nil
    ) {
        self.authorization = authorization
        self.accuracy = accuracy
        self.longest = longest
    }

    @_spi(Programs) public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        authorization = try values.decode(Authorization.self, forKey: .authorization)
        accuracy = try values.decode(SetAuthorizationParameters.Accuracy.self, forKey: .accuracy)
        longest = try values.decodeIfPresent(Double.self, forKey: .longest)
        try DecisionTerm.validate(longest, ofDenial: false)
    }

    /// The command by which the user allows it, as far as it may.
    ///
    /// - Parameter forEver: whether at any time is wanted, and not while it is logged in alone.
    @_spi(Programs) public func command(forEver: Bool) -> String {
        OwnDecisionCommand.text(
            whenInUse: !forEver || authorization == .authorizedWhenInUse, isReduced: accuracy == .reduced,
            longest: longest)
    }
}

/// A reply of `WatchRequests`.
@_spi(Programs) public struct RequestsReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var requests: [PendingAuthorization]
    /// `nil` if the user decides nothing.
    @_spi(Programs) public var ceiling: DecisionCeiling?
    /// Whether a program of the user follows its requests, as `locationd-agent` does; `nil` in replies to such a
    /// program.
    @_spi(Programs) public var followed: Bool?
    /// The first location that programs of the user have received on a day, if that was while it is followed.
    @_spi(Programs) public var firstUse: FirstUse?

    @_spi(Programs) public init(
        requests: [PendingAuthorization], ceiling: DecisionCeiling?, followed: Bool? = nil
    ) {
        self.requests = requests
        self.ceiling = ceiling
        self.followed = followed
    }
}

/// The first location that programs of a user receive on a day.
@_spi(Programs) public struct FirstUse: Codable, Sendable, Hashable {
    @_spi(Programs) public var time: UTCTime
    /// What the program calls itself, or its purpose; with unprintable characters escaped.
    @_spi(Programs) public var program: String?

    @_spi(Programs) public init(time: UTCTime, program: String? = nil) {
        self.time = time
        self.program = program
    }
}

/// The parameters of `WatchUsage`.
@_spi(Programs) public struct UsageParameters: Codable, Sendable, Hashable {
    /// True for the programs of all users.
    @_spi(Programs) public var all: Bool?
    @_spi(Programs) public init(all: Bool? = nil) { self.all = all }
}

/// A reply of `WatchUsage`.
@_spi(Programs) public struct UsageReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var usage: [LocationUsage]
    @_spi(Programs) public init(usage: [LocationUsage]) { self.usage = usage }
}

/// The parameters of `Decide`.
@_spi(Programs) public struct DecideParameters: ClientRequest {
    @_spi(Programs) public enum Answer: String, ClosedEnumeration {
        case denied, authorizedWhenInUse, authorizedAlways
    }

    /// The request that it answers; `nil` to decide whether there is one or not.
    @_spi(Programs) public var number: Int64?
    @_spi(Programs) public var authorization: Answer
    @_spi(Programs) public var accuracy: SetAuthorizationParameters.Accuracy?
    /// Seconds for which it holds; `nil` for ever.
    @_spi(Programs) public var duration: Double?
    /// The pid of the one process to which it is granted, until that ends; `nil` for all programs.
    @_spi(Programs) public var process: Int?

    @_spi(Programs) public init(
        number: Int64? = nil, authorization: Answer, accuracy: SetAuthorizationParameters.Accuracy? = nil,
        duration: Double? = nil, process: Int? = nil
    ) {
        self.number = number
        self.authorization = authorization
        self.accuracy = accuracy
        self.duration = duration
        self.process = process
    }

    @_spi(Programs) public func validate() throws(InvalidField) {
        try DecidedProcess.validate(process, ofDenial: authorization == .denied)
        try DecisionTerm.validate(duration, ofDenial: authorization == .denied)
    }
}

/// The parameters of the error `NoSuchRequest`.
@_spi(Programs) public struct RequestNumber: Codable, Sendable, Hashable {
    @_spi(Programs) public var number: Int64
    @_spi(Programs) public init(number: Int64) { self.number = number }
}
