// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

extension Target.Dependency {
    static let cLinux = product(name: "CLinux", package: "LocationKit")
    static let locationInterface = product(name: "LocationInterface", package: "LocationKit")
    static let locationKit = product(name: "LocationKit", package: "LocationKit")
    static let locationKitCombine = product(name: "LocationKitCombine", package: "LocationKit")
    static let locationKitTesting = product(name: "LocationKitTesting", package: "LocationKit")
    static let locationModel = product(name: "LocationModel", package: "LocationKit")
    static let locationSession = product(name: "LocationSession", package: "LocationKit")
    static let openCoreLocation = product(name: "OpenCoreLocation", package: "LocationKit")
    static let openCoreLocationTesting = product(name: "OpenCoreLocationTesting", package: "LocationKit")
    static let regionMonitoring = product(name: "RegionMonitoring", package: "LocationKit")
    static let systemSupport = product(name: "SystemSupport", package: "LocationKit")
    static let varlink = product(name: "Varlink", package: "LocationKit")

    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let logging = product(name: "Logging", package: "swift-log")
    static let serviceLifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let coreMetrics = product(name: "CoreMetrics", package: "swift-metrics")
    static let openCombine = product(name: "OpenCombine", package: "OpenCombine")
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let grdbSQLite = product(name: "GRDBSQLite", package: "GRDB.swift")
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
}

extension Target {
    static func part(_ name: String, at path: String, _ dependencies: [Dependency] = []) -> Target {
        .target(
            name: name, dependencies: dependencies, path: path, swiftSettings: strict,
            linkerSettings: [.linkedLibrary("m")])
    }

    static func program(
        _ name: String, at path: String, _ dependencies: [Dependency] = [], resources: [Resource] = [],
        exclude: [String] = []
    ) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: path, exclude: exclude, resources: resources,
            swiftSettings: strict)
    }

    static func tests(_ name: String, at path: String, _ dependencies: [Dependency] = [], running: [Dependency] = [])
        -> Target
    {
        .testTarget(name: name, dependencies: dependencies + running, path: path, swiftSettings: strict)
    }
}

// The programs. What a Swift program depends on is a package of its own, LocationKit.
let package = Package(
    name: "locationd",
    dependencies: [
        .package(path: "LocationKit", traits: ["Combine"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // What a target depends on is what its sources import, which .ci/imports compares.

        // What several programs use: no I/O but that of the system in ServiceKit; event loops in ServiceServer alone.
        .target(name: "CCurl", path: "Sources/shared/CCurl"),
        .target(name: "CSystemd", path: "Sources/shared/CSystemd"),
        .part("HTTPRequests", at: "Sources/shared/HTTPRequests", ["CCurl", .systemSupport]),
        .part("DBus", at: "Sources/shared/DBus", ["CSystemd"]),
        .part(
            "ServiceKit", at: "Sources/shared/ServiceKit",
            [.cLinux, .systemSupport, .argumentParser, .coreMetrics, .logging]),
        .part(
            "ServiceServer", at: "Sources/shared/ServiceServer",
            [
                .cLinux, .locationInterface, .locationModel, .locationSession, .systemSupport, .varlink, .logging,
                .nioCore, .nioPosix,
            ]),
        .part("SQLiteRows", at: "Sources/shared/SQLiteRows", [.grdb, .grdbSQLite]),
        .part("LocationFormats", at: "Sources/shared/LocationFormats", [.locationModel]),

        // The daemon.
        .systemLibrary(
            name: "CGPS", path: "Sources/locationd/CGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .part("LocationEstimate", at: "Sources/locationd/LocationEstimate", [.locationModel]),
        .part(
            "LocationHub", at: "Sources/locationd/LocationHub", ["LocationEstimate", .locationModel, .regionMonitoring]
        ),
        .part("GPSDSource", at: "Sources/locationd/GPSDSource", ["CGPS", .cLinux, .locationModel, .systemSupport]),
        .part("Polkit", at: "Sources/locationd/Polkit", ["DBus", .locationModel, .systemSupport]),
        .part("CompassSource", at: "Sources/locationd/CompassSource", ["DBus", .locationModel, .systemSupport]),
        .part(
            "ProviderSource", at: "Sources/locationd/ProviderSource",
            [.cLinux, .locationInterface, .locationModel, .systemSupport, .varlink]),
        .part("SimulatedSource", at: "Sources/locationd/SimulatedSource", [.locationModel, .systemSupport]),
        .part(
            "Authorization", at: "Sources/locationd/Authorization",
            ["CSystemd", .cLinux, .locationModel, .systemSupport]),
        .part(
            "LocationServer", at: "Sources/locationd/LocationServer",
            [
                "Authorization", "LocationFormats", "LocationHub", "Polkit", "ServiceServer", .locationInterface,
                .locationModel, .systemSupport, .varlink, .coreMetrics, .logging,
            ]),
        .part(
            "DaemonConfiguration", at: "Sources/locationd/DaemonConfiguration",
            [
                "Authorization", "CompassSource", "GPSDSource", "ProviderSource", "ServiceKit", "SimulatedSource",
                .locationModel,
                .systemSupport, .argumentParser, .logging,
            ]),
        .program(
            "locationd", at: "Sources/locationd/locationd",
            [
                "Authorization", "DaemonConfiguration", "LocationFormats", "LocationHub", "LocationServer", "Polkit",
                "ServiceKit", "ServiceServer", .cLinux, .locationInterface, .locationModel, .regionMonitoring,
                .systemSupport, .argumentParser, .coreMetrics, .logging, .serviceLifecycle, .unixSignals,
            ]),

        // The command.
        .program(
            "locctl", at: "Sources/locctl/locctl",
            [
                "Fleet", "LocationFormats", "ServiceKit", "SimulatedSource", .cLinux, .locationInterface, .locationKit,
                .locationSession,
                .locationModel, .systemSupport, .varlink, .argumentParser,
            ]),

        // Programs that are written for gpsd or GeoClue.
        .target(name: "CGPSVersion", path: "Sources/bridge/CGPSVersion"),
        .part(
            "GPSDProtocol", at: "Sources/bridge/GPSDProtocol",
            ["CGPSVersion", "LocationFormats", .locationModel, .systemSupport]),
        .part(
            "Bridge", at: "Sources/bridge/Bridge",
            [
                "DBus", "GPSDProtocol", "LocationFormats", "ServiceServer", .locationInterface, .locationModel,
                .locationSession, .systemSupport, .varlink, .logging, .nioCore, .nioPosix,
            ]),
        .program(
            "locationd-bridge", at: "Sources/bridge/locationd-bridge",
            ["Bridge", "ServiceKit", "ServiceServer", .locationInterface, .argumentParser, .logging, .unixSignals]),

        // The track. GRDB brings the whole of Foundation.
        .part(
            "TrackHistory", at: "Sources/history/TrackHistory",
            ["SQLiteRows", .locationInterface, .locationModel, .regionMonitoring, .grdb]),
        .program(
            "locationd-history", at: "Sources/history/locationd-history",
            [
                "ServiceKit", "ServiceServer", "TrackHistory", .locationInterface, .locationModel, .locationSession,
                .systemSupport,
                .varlink, .argumentParser, .logging, .nioCore, .nioPosix, .unixSignals,
            ]),

        // Messages to brokers.
        .systemLibrary(
            name: "CMosquitto", path: "Sources/fleet/CMosquitto", pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"])]),
        .part(
            "Agent", at: "Sources/agent/Agent",
            ["DBus", .locationInterface, .locationKit, .locationModel, .locationSession, .systemSupport, .varlink]),
        .program(
            "locationd-agent", at: "Sources/agent/locationd-agent",
            ["Agent", .locationInterface, .locationKit, .systemSupport, .argumentParser]),
        .part("Fleet", at: "Sources/fleet/Fleet", [.locationModel]),
        .part(
            "Delivery", at: "Sources/fleet/Delivery",
            [
                "CMosquitto", "Fleet", "HTTPRequests", "ServiceKit", "SQLiteRows", .locationModel, .systemSupport,
                .grdb,
                .logging,
            ]),
        .program(
            "locationd-fleet", at: "Sources/fleet/locationd-fleet",
            [
                "Delivery", "Fleet", "HTTPRequests", "ServiceKit", "ServiceServer", .cLinux, .locationInterface,
                .locationKit, .locationModel, .systemSupport, .varlink, .argumentParser, .logging, .unixSignals,
            ]),

        // The pages.
        .part(
            "WebService", at: "Sources/web/WebService",
            [
                "LocationFormats", "ServiceServer", "SQLiteRows", .locationInterface, .locationModel, .locationSession,
                .systemSupport,
                .varlink, .grdb, .logging, .nioCore, .nioHTTP1, .nioPosix,
            ]),
        .program(
            "locationd-web", at: "Sources/web/locationd-web",
            [
                "ServiceKit", "ServiceServer", "WebService", .locationInterface, .systemSupport, .varlink,
                .argumentParser, .logging, .unixSignals,
            ], resources: [.copy("Pages")]),

        // Places by name: they may use the network.
        .part(
            "Places", at: "Sources/places/Places",
            ["HTTPRequests", "SQLiteRows", .locationModel, .systemSupport, .grdb, .logging]),
        .program(
            "locationd-places", at: "Sources/places/locationd-places",
            [
                "Places", "ServiceKit", "ServiceServer", .locationInterface, .locationModel, .systemSupport, .varlink,
                .argumentParser, .logging, .unixSignals,
            ]),

        // Places by the access points that are received there. Rules in the first, without I/O.
        .part("AccessPoints", at: "Sources/nearby/AccessPoints", [.locationModel]),
        .systemLibrary(
            name: "CCrypto", path: "Sources/nearby/CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CNetlink", path: "Sources/nearby/CNetlink"),
        .target(name: "CSeccomp", path: "Sources/nearby/CSeccomp"),
        .program(
            "locationd-nearby", at: "Sources/nearby/locationd-nearby",
            [
                "AccessPoints", "CCrypto", "CNetlink", "CSeccomp", "HTTPRequests", "ServiceKit", "ServiceServer",
                "SQLiteRows", .cLinux, .locationInterface, .locationModel, .systemSupport, .varlink, .argumentParser,
                .grdb, .logging, .unixSignals,
            ]),

        // A command behind the filter of system calls.
        .executableTarget(
            name: "ConfinedCommand", dependencies: ["CSeccomp"], path: "Tests/nearby/ConfinedCommand"),

        // What a first program may look like; each is run by a test.
        .program("ExampleObservers", at: "Examples/Observers", [.locationKit]),
        .program("ExampleAsyncSequence", at: "Examples/AsyncSequence", [.locationKit]),
        .program(
            "ExampleCombinePipeline", at: "Examples/CombinePipeline", [.locationKit, .locationKitCombine, .openCombine]),
        .program("ExampleSharedManager", at: "Examples/SharedManager", [.locationKit]),
        .program("ExampleOneShot", at: "Examples/OneShot", [.locationKit]),
        .program("ExampleGeofence", at: "Examples/Geofence", [.locationKit]),
        .program("ExampleCoreLocationDelegate", at: "Examples/CoreLocationDelegate", [.openCoreLocation]),
        .program("ExampleCoreLocationSessions", at: "Examples/CoreLocationSessions", [.openCoreLocation]),

        // What the booted test has waiting while the service is stopped, killed and upgraded.
        .program("BootedWatcher", at: "Tests/system/Booted/Watcher", [.locationKit]),

        // The driver of clients/conformance for LocationKit and ServiceServer.
        .program(
            "ClientConformance", at: "clients/conformance/drivers/ClientConformance",
            [
                "ServiceServer", .locationInterface, .locationKit, .locationSession, .systemSupport, .varlink, .nioCore,
                .nioPosix,
            ]),

        // Benchmarks; see Benchmarks/README.md.
        .program(
            "FixBenchmark", at: "Benchmarks/Fix",
            [
                "Authorization", "GPSDSource", "LocationHub", "LocationServer", "ServerDoubles", "ServiceServer",
                .locationInterface, .locationModel, .systemSupport, .varlink, .logging, .nioCore, .nioEmbedded,
            ], exclude: ["instructions.txt"]),
        .program("EstimateBenchmark", at: "Benchmarks/Estimate", ["LocationEstimate", .locationModel]),

        // What tests share. The client libraries' own tests run here beside the built daemon; by their own manifest,
        // without it.
        .part("TestSupport", at: "LocationKit/Tests/TestSupport", [.systemSupport]),
        .part(
            "ProgramTestSupport", at: "Tests/shared/ProgramTestSupport",
            ["Authorization", "ServiceKit", "TestSupport", .logging]),
        .part("ReferenceModel", at: "Tests/locationd/ReferenceModel", [.locationModel]),
        .part(
            "ClientTestSupport", at: "LocationKit/Tests/ClientTestSupport",
            ["TestSupport", .locationInterface, .locationKit, .locationModel, .systemSupport, .varlink]),
        .part(
            "ServerDoubles", at: "Tests/locationd/ServerDoubles",
            ["Authorization", "LocationHub", "LocationServer", "Polkit", .locationInterface, .locationModel]),

        // Tests. Those that run a program name it, and need not import it.
        .tests(
            "NearbyTests", at: "Tests/nearby/NearbyTests",
            [
                "AccessPoints", "CNetlink", "HTTPRequests", "ProgramTestSupport", "ServiceKit", "ServiceServer",
                "locationd-nearby", .locationInterface, .locationModel, .systemSupport, .varlink, .argumentParser,
                .grdb, .logging,
            ], running: ["ConfinedCommand"]),
        .tests(
            "ServiceKitTests", at: "Tests/shared/ServiceKitTests",
            ["ProgramTestSupport", "ServiceKit", .systemSupport, .coreMetrics, .logging]),
        .tests(
            "LocationInterfaceTests", at: "LocationKit/Tests/LocationInterfaceTests",
            ["TestSupport", .locationInterface, .locationModel, .varlink]),
        .tests(
            "LocationSessionTests", at: "LocationKit/Tests/LocationSessionTests",
            [.locationInterface, .locationModel, .locationSession]),
        .tests(
            "LocationFormatsTests", at: "Tests/shared/LocationFormatsTests",
            ["LocationFormats", "ProgramTestSupport", .locationModel]),
        .tests(
            "LocationModelTests", at: "LocationKit/Tests/LocationModelTests",
            ["TestSupport", .locationModel, .regionMonitoring]),
        .tests(
            "SystemSupportTests", at: "LocationKit/Tests/SystemSupportTests",
            ["TestSupport", .locationModel, .systemSupport]),
        .tests(
            "LocationEstimateTests", at: "Tests/locationd/LocationEstimateTests",
            ["LocationEstimate", "ProgramTestSupport", .locationModel]),
        .tests(
            "LocationHubTests", at: "Tests/locationd/LocationHubTests",
            ["LocationHub", "ProgramTestSupport", "ReferenceModel", .locationModel, .regionMonitoring]),
        .tests(
            "GPSDSourceTests", at: "Tests/locationd/GPSDSourceTests",
            ["CGPS", "GPSDSource", "ProgramTestSupport", .cLinux, .locationModel, .systemSupport]),
        .tests(
            "SourceTests", at: "Tests/locationd/SourceTests",
            [
                "CompassSource", "ProgramTestSupport", "ProviderSource", "SimulatedSource", .locationModel,
                .systemSupport,
            ]),
        .tests(
            "AgentTests", at: "Tests/agent/AgentTests",
            ["Agent", .locationInterface, .locationModel]),
        .tests(
            "PolkitTests", at: "Tests/locationd/PolkitTests",
            ["Polkit", "ProgramTestSupport", .locationModel, .systemSupport]),
        .tests(
            "AuthorizationTests", at: "Tests/locationd/AuthorizationTests",
            ["Authorization", "CSystemd", "ProgramTestSupport", .locationModel, .systemSupport]),
        .tests(
            "LocationServerTests", at: "Tests/locationd/LocationServerTests",
            [
                "Authorization", "LocationFormats", "LocationHub", "LocationServer", "Polkit", "ProgramTestSupport",
                "ServerDoubles", "ServiceKit", "ServiceServer", .locationInterface, .locationKit, .locationModel,
                .regionMonitoring, .systemSupport, .varlink, .coreMetrics, .logging,
            ]),
        .tests(
            "SimulationTests", at: "Tests/locationd/SimulationTests",
            [
                "Authorization", "GPSDSource", "LocationHub", "LocationServer", "ProgramTestSupport", "ReferenceModel",
                "ServerDoubles", "ServiceServer", .locationInterface, .locationModel, .systemSupport, .varlink,
                .logging, .nioCore, .nioEmbedded,
            ]),
        .tests(
            "DeliveryTests", at: "Tests/fleet/DeliveryTests",
            [
                "Delivery", "Fleet", "HTTPRequests", "ProgramTestSupport", .locationModel, .systemSupport, .grdb,
            ]),
        .tests(
            "LocationKitTests", at: "LocationKit/Tests/LocationKitTests",
            [
                "ClientTestSupport", "TestSupport", .locationInterface, .locationKit, .locationKitTesting,
                .locationModel, .systemSupport, .varlink,
            ],
            running: ["locationd"]),
        .tests(
            "LocationKitCombineTests", at: "LocationKit/Tests/LocationKitCombineTests",
            ["TestSupport", .locationKit, .locationKitCombine, .locationKitTesting, .locationModel, .openCombine]),
        .tests(
            "OpenCoreLocationTests", at: "LocationKit/Tests/OpenCoreLocationTests",
            [
                "ClientTestSupport", "TestSupport", .locationKit, .locationKitTesting, .locationModel,
                .openCoreLocation, .openCoreLocationTesting, .openCombine,
            ],
            running: ["locationd"]),
        .tests(
            "DaemonTests", at: "Tests/locationd/DaemonTests",
            [
                "Authorization", "DaemonConfiguration", "locationd", "LocationHub", "LocationServer",
                "ProgramTestSupport", "ServiceKit", .locationInterface, .locationModel, .regionMonitoring,
                .systemSupport, .argumentParser, .logging,
            ]),
        .tests(
            "PlacesTests", at: "Tests/places/PlacesTests",
            [
                "locationd-places", "Places", "ProgramTestSupport", "ServiceKit", "ServiceServer", .locationInterface,
                .locationModel, .systemSupport, .varlink, .argumentParser, .grdb, .logging,
            ]),
        .tests(
            "ServiceServerTests", at: "Tests/shared/ServiceServerTests",
            [
                "ClientTestSupport", "ProgramTestSupport", "ServiceServer", .locationInterface, .locationKit,
                .locationModel,
                .locationSession, .systemSupport,
                .varlink, .nioCore, .nioEmbedded, .nioPosix,
            ],
            running: ["locationd"]),
        .tests(
            "BridgeTests", at: "Tests/bridge/BridgeTests",
            [
                "Bridge", "DBus", "GPSDProtocol", "GPSDSource", "locationd-bridge", "ProgramTestSupport", "ServiceKit",
                "ServiceServer", .locationInterface, .locationModel, .systemSupport, .argumentParser, .logging,
                .nioCore,
            ]),
        .tests(
            "HistoryTests", at: "Tests/history/HistoryTests",
            [
                "ClientTestSupport", "locationd-history", "ProgramTestSupport", "ServiceKit", "ServiceServer",
                "TrackHistory", .locationInterface, .locationKit, .locationModel, .systemSupport, .varlink,
                .argumentParser, .grdb, .logging,
            ],
            running: ["locationd", "locctl"]),
        .tests(
            "FleetTests", at: "Tests/fleet/FleetTests",
            [
                "ClientTestSupport", "Delivery", "Fleet", "HTTPRequests", "locationd-fleet", "ProgramTestSupport",
                "ServiceKit", .locationInterface, .locationKit, .locationModel, .systemSupport, .argumentParser, .grdb,
                .logging,
            ],
            running: ["locationd", "locctl"]),
        .tests(
            "WebServiceTests", at: "Tests/web/WebServiceTests",
            [
                "ClientTestSupport", "locationd-web", "ProgramTestSupport", "ServiceKit", "ServiceServer",
                "TrackHistory", "WebService", .locationInterface, .locationModel, .systemSupport, .varlink,
                .argumentParser, .grdb, .logging, .nioCore, .nioEmbedded, .nioHTTP1,
            ],
            running: ["locationd", "locationd-history", "locctl"]),
        .tests(
            "SystemTests", at: "Tests/system/SystemTests",
            [
                "ClientTestSupport", "Delivery", "ProgramTestSupport", "SimulatedSource", "TrackHistory", .locationKit,
                .locationModel, .grdb,
            ],
            running: ["locationd", "locctl", "locationd-history", "locationd-fleet"]),
        .tests(
            "LocctlTests", at: "Tests/locctl/LocctlTests",
            [
                "Fleet", "locctl", "ProgramTestSupport", .locationInterface, .locationKit, .locationModel,
                .systemSupport, .varlink, .argumentParser,
            ]),
        .tests(
            "EndToEndTests", at: "Tests/system/EndToEndTests",
            [
                "Authorization", "ClientTestSupport", "locationd-history", "LocationServer", "ProgramTestSupport",
                "ServiceKit", "ServiceServer", "TrackHistory", .locationInterface, .locationKit, .locationModel,
                .systemSupport, .varlink, .logging,
            ],
            running: [
                "locationd", "locctl", "locationd-agent", "locationd-places", "locationd-bridge", "locationd-nearby",
                "ExampleObservers",
                "ExampleAsyncSequence", "ExampleCombinePipeline", "ExampleSharedManager", "ExampleOneShot",
                "ExampleCoreLocationDelegate", "ExampleCoreLocationSessions", "ExampleGeofence",
            ]),
    ]
)

// The fuzzers, and the parts of the programs that they need, without their main functions: libFuzzer has its own. See
// Tests/system/Fuzzers/README.md.
if Context.environment["LOCATIOND_FUZZ"] != nil {
    let programs = ["locationd", "locationd-places"]
    package.targets.removeAll { programs.contains($0.name) }
    package.targets += [
        .target(
            name: "locationd",
            dependencies: ["Authorization", "LocationHub", .locationInterface, .locationModel, .regionMonitoring],
            path: "Sources/locationd/locationd",
            sources: [
                "State/SavedFile.swift", "State/SavedMonitors.swift", "State/SavedState.swift",
                "Audit/AuditRecord+line.swift",
            ], swiftSettings: strict),
        .target(
            name: "locationd-places", dependencies: ["ServiceKit", "ServiceServer", .logging],
            path: "Sources/places/locationd-places",
            sources: ["PlacesConfiguration.swift"], swiftSettings: strict),
        .program(
            "Fuzzers", at: "Tests/system/Fuzzers",
            [
                "Authorization", "DaemonConfiguration", "GPSDProtocol", "GPSDSource", "locationd", "locationd-places",
                "LocationFormats", "LocationHub", "LocationServer", "ServerDoubles", "ServiceKit", "ServiceServer",
                "SimulatedSource", .locationInterface, .locationModel, .regionMonitoring, .systemSupport, .varlink,
                .argumentParser, .logging, .nioCore, .nioEmbedded,
            ],
            exclude: ["README.md", "corpus", "dictionaries"]),
    ]
}

// Only some test targets, for a faster build of what one change concerns:
// LOCATIOND_TESTS="LocationFormatsTests BridgeTests".
if let names = Context.environment["LOCATIOND_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// As in LocationKit's package.
if Context.environment["LOCATIOND_OPTIMIZE"] != nil {
    for target in package.targets
    where [
        "AccessPoints", "LocationEstimate", "LocationHub", "NearbyTests", "ReferenceModel", "SimulationTests",
    ].contains(target.name) {
        target.swiftSettings = strict + [.unsafeFlags(["-O"])]
    }
}
