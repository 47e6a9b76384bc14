package import Logging

/// The events that an administrator may look for in the log. `journalctl MESSAGE_ID=…` finds them by an id that stays
/// the same even if the message changes.
package enum ServiceEvent: String, CaseIterable, Sendable {
    case started = "5901fe53d97942a492ad105e7ac286a7"
    case ended = "5305d91235ec4e498f4a03a81bfd3648"
    case failed = "6f374f4aad0342f39ebe6c3bec387d53"
    case switchedOn = "f6fb07709388417eb7ef4d63553bf491"
    case switchedOff = "f1f5f0ee488a4e9f81106afa565dc19e"
    case sourceStarted = "c4e3feb8bfcd4d1ea2c36ec9672986e1"
    case sourceStopped = "6e875be05aa447a088f5438847735f01"
    case sourceChanged = "5521f5c641a84cc2a853f01eb15ef161"
    case sourceUnusable = "7527909e4db349e69c4f6f49320f62c9"
    case trueNorthUnknown = "30f01a1c1a224661b6bc8c93a19bac54"
    case fixFound = "b18ec7e2775b419a80f5c36af3663b59"
    case fixLost = "ffc09a03028a4cd498c3fcdda1072cf0"
    case locationInjected = "09abee26a3d84954977de4b2c39e941a"
    case configurationRead = "eff0e3d65825413995b3b4354b090d1a"
    case configurationRefused = "ba681d782dd648cfab1aefce41f76ca9"
    case logLevelSet = "11e006b80c2240d1aea4215fc5532ebf"
    case authorizationRequested = "c18579339ded4bab8a03313476138f27"
    case authorizationGranted = "f689fef1aff749f0ad41296b02209a56"
    case authorizationRefused = "676110886c1e4bb7a07ba2ac4ddbd626"
    case authorizationRevoked = "4aeb6ad1c8d54199aa527fd3147a6742"
    case authorizationReset = "63ebba29cd0e4d8eb003555e1d293e04"
    case authorizationEnded = "7c0e4f0d6b7a4c0f9d6f3f5f0a9be1c2"
    case firstDelivery = "1f6b55b86f214ebd9e87ea93adbb7878"
    case administrationRefused = "ac7fa3586aa4492f8d266f671f30316d"
    case tokenCreated = "d32e288b2ac445a8be4b8a580b8186d7"
    case tokenRevoked = "c4cfbb61e3d74b61ba71a8e3f90c8eaa"
    case limitReached = "d43bb350461544578c0b1cbeb9b4f63a"
    case clientDisconnected = "abc30f8bd85a4acf9b61355c43ea18e0"
    case decisionsUnreadable = "b509caffb5dc4f79991d3023f5c1ae6b"
    case decisionsNotPersisted = "1e071b2310eb4578ba1a8218bf74ead6"
    case stateUnusable = "c6f7d7b62ba64058a465c4a126da57ba"
    case stateNotPersisted = "228bb95e40ae424ba4ece18c881116cd"
    case monitorsNotPersisted = "2ede6087e9b84ebda40fb4c9500ec49c"
    case monitorsForgotten = "ed73ecc48d2549578ff949ea332d5595"
    case monitorDisplaced = "25b2d53f96104d919ff4508bf66cc5e9"
    case auditNotPersisted = "bacd730fdd314ac3808b100543c112d0"
    case auditPersistedAgain = "bc4e70c892fd4a7fa00cf0a86b5be786"
    case auditLost = "fba3f67e34d24653bef6f0e2efafe606"
    case sourceSwitchedOn = "4e381157c6b645acb5114f03f492799e"
    case sourceSwitchedOff = "ea721863cc6c44e7939f703a0036b409"
    case suspended = "19af64996b014084b4480dbf8d872e7f"
    case resumed = "e27abc0d908d4455b6bb73bba139df1a"
    case batteryLow = "d2ba02fc2efd445691981cab16117415"
    case batterySufficient = "c455f96e50b14e3ba21cb878b6fb2ad1"
    case batteryDoubted = "6357eb87f6214184b60cf6039fb38bc5"

    /// The constant message.
    package var message: Logger.Message {
        switch self {
        case .started: "listening"
        case .ended: "ended"
        case .failed: "locationd cannot run"
        case .switchedOn: "switched on by an administrator"
        case .switchedOff: "switched off by an administrator"
        case .sourceStarted: "source started"
        case .sourceStopped: "source stopped"
        case .sourceChanged: "source changed"
        case .sourceUnusable: "the source sent invalid data"
        case .trueNorthUnknown: "magnetic headings are delivered without true ones"
        case .fixFound: "there is a fix"
        case .fixLost: "the fix is lost"
        case .locationInjected: "an administrator injected a location"
        case .configurationRead: "configuration read again"
        case .configurationRefused: "the new configuration is invalid; the former one stays in effect"
        case .logLevelSet: "log level set"
        case .authorizationRequested: "a program requested authorization"
        case .authorizationGranted: "a principal may know the location"
        case .authorizationRefused: "a principal may not know the location"
        case .authorizationRevoked: "a principal may no longer know the location"
        case .authorizationReset: "a request or a denial was deleted"
        case .authorizationEnded: "the term of a decision has ended"
        case .firstDelivery: "the first location of the day was sent to a principal"
        case .administrationRefused: "a principal is not allowed to administer"
        case .tokenCreated: "an administrator created a token for a service"
        case .tokenRevoked: "an administrator's token was ended"
        case .limitReached: "a principal reached a limit"
        case .clientDisconnected: "connection closed by the service"
        case .decisionsUnreadable:
            "the decisions cannot be read; only root and the daemon's user may know the position"
        case .decisionsNotPersisted: "requests and decisions cannot be persisted; a restart loses them"
        case .stateUnusable: "the persisted state cannot be used"
        case .stateNotPersisted: "the state cannot be persisted; a restart loses it"
        case .monitorsNotPersisted: "the states of monitors cannot be persisted; a restart may repeat an event"
        case .monitorsForgotten: "an administrator removed named monitors of a user"
        case .monitorDisplaced:
            "a named monitor of an unauthorized user was removed to make room for an authorized one"
        case .auditNotPersisted: "the audit cannot be written; its records wait for the next attempt"
        case .auditPersistedAgain: "the audit is written again"
        case .auditLost: "records of the audit are lost"
        case .sourceSwitchedOn: "a source was switched on by an administrator"
        case .sourceSwitchedOff: "a source was switched off by an administrator"
        case .suspended: "the machine is going to sleep"
        case .resumed: "the machine is awake"
        case .batteryLow: "the battery is low; the sources stop"
        case .batterySufficient: "the sources may run again"
        case .batteryDoubted: "a reading of the battery is not believed"
        }
    }

    /// The default level.
    package var level: Logger.Level {
        switch self {
        case .sourceStarted, .sourceStopped, .fixFound: .info
        case .sourceUnusable, .trueNorthUnknown, .limitReached, .batteryDoubted: .warning
        case .configurationRefused, .decisionsNotPersisted, .stateUnusable, .stateNotPersisted, .monitorsNotPersisted,
            .auditNotPersisted,
            .auditLost:
            .error
        case .failed, .decisionsUnreadable: .critical
        default: .notice
        }
    }

    /// True for events that an administrator relies on: they are logged each time, however often they happen.
    package var isLoggedEachTime: Bool {
        switch self {
        case .authorizationRequested, .authorizationGranted, .authorizationRefused, .authorizationRevoked,
            .authorizationReset, .authorizationEnded, .firstDelivery, .monitorsForgotten, .monitorDisplaced,
            .tokenCreated, .tokenRevoked, .decisionsUnreadable, .switchedOn, .switchedOff, .sourceSwitchedOn,
            .sourceSwitchedOff, .configurationRead,
            .configurationRefused, .logLevelSet, .started, .ended,
            .failed:
            true
        default: false
        }
    }

    /// The metadata key of the id.
    package static let metadataKey = "MESSAGE_ID"
}

extension Logger {
    /// Logs an event with its metadata.
    ///
    /// - Parameter level: overrides the default level.
    package func log(
        _ event: ServiceEvent, at level: Logger.Level? = nil, _ metadata: Logger.Metadata = [:],
        file: String = #fileID, line: UInt = #line
    ) {
        log(
            level: level ?? event.level, event.message,
            metadata: metadata.merging([ServiceEvent.metadataKey: "\(event.rawValue)"]) { $1 }, file: file, line: line)
    }
}
