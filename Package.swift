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

let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let combine = Target.Dependency.product(name: "OpenCombine", package: "OpenCombine")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "locationd",
    products: [
        .executable(name: "locationd", targets: ["locationd"]),
        .executable(name: "locctl", targets: ["locctl"]),
        .executable(name: "locationd-places", targets: ["locationd-places"]),
        .library(name: "LocationModel", targets: ["LocationModel"]),
        .library(name: "LocationKit", targets: ["LocationKit"]),
        .library(name: "LocationKitTesting", targets: ["LocationKitTesting"]),
        .library(name: "LocationKitCombine", targets: ["LocationKitCombine"]),
        .library(name: "OpenCoreLocation", targets: ["OpenCoreLocation"]),
        .library(name: "OpenCoreLocationTesting", targets: ["OpenCoreLocationTesting"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // Layers, the lowest first: a target depends only on targets above it.

        // Values: no I/O and no clocks.
        .target(name: "Geodesy", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "LocationModel", dependencies: ["Geodesy"], swiftSettings: strict,
            linkerSettings: [.linkedLibrary("m")]),
        .target(name: "Geomagnetism", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),
        .target(name: "Varlink", swiftSettings: strict),

        // The system: the kernel and C libraries, as Swift sees them; threads, files, clocks, the journal, metrics, TOML.
        .target(name: "CLinux"),
        .target(name: "CGPSVersion"),
        .systemLibrary(name: "CGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(name: "CSystemd"),
        .target(name: "CCurl"),
        .target(name: "DBus", dependencies: ["CSystemd"], swiftSettings: strict),
        .target(name: "SystemSupport", dependencies: ["CLinux"], swiftSettings: strict),
        .target(
            name: "SystemClock", dependencies: ["CLinux", "SystemSupport", "LocationModel"], swiftSettings: strict),
        .target(name: "Systemd", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "StrictTOML", swiftSettings: strict),
        .target(
            name: "PrometheusMetrics", dependencies: ["StrictTOML", "SystemSupport", logging, metrics],
            swiftSettings: strict),
        .target(
            name: "CommandLineFlags", dependencies: ["StrictTOML", "SystemSupport", "Systemd", logging, arguments],
            swiftSettings: strict),

        // The pure middle: interfaces, formats, decisions.
        .target(
            name: "LocationInterface",
            dependencies: ["Varlink", "LocationModel"],
            resources: [
                .embedInCode("org.locationd.location.varlink"),
                .embedInCode("org.locationd.places.varlink"),
            ],
            swiftSettings: strict),
        // Only the daemon and its administrators' programs: the client library does not contain these messages.
        .target(
            name: "AdministrationInterface", dependencies: ["Varlink", "LocationInterface", "LocationModel"],
            resources: [.embedInCode("org.locationd.admin.varlink")], swiftSettings: strict),
        .target(
            name: "HistoryInterface", dependencies: ["Varlink", "LocationModel"],
            resources: [.embedInCode("org.locationd.history.varlink")], swiftSettings: strict),
        .target(name: "LocationFormats", dependencies: ["LocationModel"], swiftSettings: strict),
        // What programs written for gpsd expect, for a program that serves them.
        .target(
            name: "GPSDProtocol", dependencies: ["CGPSVersion", "SystemSupport", "LocationFormats", "LocationModel"],
            swiftSettings: strict),
        .target(name: "RegionMonitoring", dependencies: ["Geodesy", "LocationModel"], swiftSettings: strict),
        .target(
            name: "LocationHub", dependencies: ["LocationModel", "RegionMonitoring"], swiftSettings: strict),

        // The edges: fixes in, permissions, replies out.
        .target(
            name: "GPSDSource", dependencies: ["SystemSupport", "SystemClock", "CGPS", "CLinux", "LocationModel"],
            swiftSettings: strict),
        .target(
            name: "CompassSource", dependencies: ["DBus", "SystemSupport", "SystemClock", "LocationModel"],
            swiftSettings: strict),
        .target(
            name: "SimulatedSource", dependencies: ["SystemSupport", "SystemClock", "LocationModel"],
            swiftSettings: strict),
        .target(
            name: "Authorization", dependencies: ["CLinux", "CSystemd", "SystemSupport", "LocationModel"],
            swiftSettings: strict),
        .target(
            name: "VarlinkServer", dependencies: ["Varlink", "SystemSupport", "CLinux", nio, nioPosix],
            swiftSettings: strict),
        // A Varlink service whose calls are answered in tasks, for the small services.
        .target(
            name: "CallService", dependencies: ["VarlinkServer", "Varlink", "SystemSupport", "SystemClock", logging],
            swiftSettings: strict),
        .target(
            name: "LocationServer",
            dependencies: [
                "AdministrationInterface", "Geomagnetism",
                "LocationHub", "RegionMonitoring", "LocationInterface", "LocationFormats", "LocationModel", "Varlink",
                "VarlinkServer", "Authorization", "SystemSupport", "SystemClock", logging, metrics,
            ],
            swiftSettings: strict),

        // Programs that are written for gpsd or GeoClue, for a service of its own.
        .target(
            name: "ServedPrograms",
            dependencies: ["LocationInterface", "LocationModel", "Varlink", "CLinux", nio, nioPosix],
            swiftSettings: strict),
        .target(
            name: "GeoClueBridge",
            dependencies: [
                "ServedPrograms", "DBus", "LocationInterface", "LocationModel", "Varlink", "SystemSupport",
                "SystemClock", nio, nioPosix, logging,
            ],
            swiftSettings: strict),
        // Values of SQLite's tables, checked, for services of their own: GRDB brings the whole of Foundation.
        .target(name: "SQLiteRows", dependencies: [grdb, sqlite], swiftSettings: strict),
        // The pages for people.
        .target(
            name: "WebInterface", dependencies: ["Varlink"], resources: [.embedInCode("org.locationd.web.varlink")],
            swiftSettings: strict),
        .target(
            name: "WebService",
            dependencies: [
                "WebInterface", "ServedPrograms", "CallService", "VarlinkServer", "AdministrationInterface",
                "HistoryInterface", "LocationFormats", "LocationInterface", "LocationModel", "Varlink",
                "SQLiteRows", "SystemSupport", "SystemClock", nio, nioPosix, nioHTTP, grdb, logging,
            ],
            swiftSettings: strict),
        // The track of a machine, and the GeoPackage that it is kept in.
        .target(
            name: "TrackHistory",
            dependencies: [
                "SQLiteRows", "HistoryInterface", "RegionMonitoring", "LocationModel", "Geodesy", grdb,
            ], swiftSettings: strict,
            linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "GPSDBridge",
            dependencies: [
                "ServedPrograms", "GPSDProtocol", "LocationInterface", "LocationModel", "Varlink", "CLinux",
                "SystemClock",
                nio, nioPosix, logging,
            ],
            swiftSettings: strict),

        // Messages to brokers, for a service of its own.
        .target(name: "Fleet", dependencies: ["LocationModel"], swiftSettings: strict),
        .target(name: "FleetOutbox", dependencies: ["Fleet", "SQLiteRows", grdb], swiftSettings: strict),
        .target(name: "MQTT", dependencies: ["CMosquitto", "SystemSupport"], swiftSettings: strict),

        // Places by name, for a service of its own: it may use the network and the whole of Foundation.
        .target(
            name: "Places",
            dependencies: ["SQLiteRows", "LocationModel", "SystemSupport", "SystemClock", "CCurl", grdb, logging],
            swiftSettings: strict),

        // The client libraries.
        .target(
            name: "LocationKit",
            dependencies: [
                "SystemSupport", "SystemClock", "LocationInterface", "LocationModel", "Varlink", "CLinux", logging,
            ],
            swiftSettings: strict),
        .target(
            name: "LocationKitTesting",
            dependencies: ["LocationKit", "LocationModel", "RegionMonitoring", "SystemClock"],
            swiftSettings: strict),
        .target(
            name: "LocationKitCombine", dependencies: ["LocationKit", "LocationModel", combine], swiftSettings: strict),
        .target(
            name: "OpenCoreLocation", dependencies: ["LocationKit", "LocationModel"], swiftSettings: strict),
        .target(
            name: "OpenCoreLocationTesting",
            dependencies: ["OpenCoreLocation", "LocationKit", "LocationKitTesting", "LocationModel"],
            swiftSettings: strict),

        // The programs, and the daemon's settings. What one program alone uses is in it: tests import it as a module.
        .target(
            name: "DaemonConfiguration",
            dependencies: [
                "StrictTOML", "CommandLineFlags", "PrometheusMetrics", "Authorization", "GPSDSource", "CompassSource",
                "SimulatedSource", "SystemSupport", "SystemClock", "LocationModel", logging, arguments,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "locationd",
            dependencies: [
                "AdministrationInterface",
                "DaemonConfiguration", "StrictTOML", "CommandLineFlags", "LocationServer", "VarlinkServer",
                "LocationHub", "RegionMonitoring", "LocationInterface", "LocationModel", "LocationFormats",
                "SimulatedSource", "Authorization", "SystemSupport", "SystemClock", "Systemd", "CLinux",
                "PrometheusMetrics", lifecycle, signals, logging, metrics, arguments,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "locctl",
            dependencies: [
                "AdministrationInterface", "HistoryInterface", "WebInterface",
                "LocationKit", "LocationInterface", "LocationFormats", "LocationModel", "SimulatedSource", "Fleet",
                "Varlink", "SystemSupport", "SystemClock", "Systemd", "CLinux", arguments,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "locationd-history",
            dependencies: [
                "TrackHistory", "HistoryInterface", "CallService", "ServedPrograms", "StrictTOML",
                "CommandLineFlags", "PrometheusMetrics", "LocationInterface", "LocationModel", "Varlink",
                "VarlinkServer", "SystemClock", "SystemSupport", nio, nioPosix,
                "Systemd", logging, signals, arguments,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "locationd-bridge",
            dependencies: [
                "GPSDBridge", "GeoClueBridge", "ServedPrograms", "StrictTOML", "CommandLineFlags", "LocationInterface",
                "VarlinkServer", "Systemd", logging, signals, arguments,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "locationd-places",
            dependencies: [
                "CallService", "Places", "StrictTOML", "CommandLineFlags", "LocationInterface", "LocationModel",
                "Varlink",
                "VarlinkServer", "CLinux", "Systemd", "SystemSupport", "SystemClock", logging, signals, arguments,
            ],
            swiftSettings: strict),

        .executableTarget(
            name: "locationd-web",
            dependencies: [
                "WebService", "ServedPrograms", "CallService", "VarlinkServer", "StrictTOML", "CommandLineFlags",
                "LocationInterface", "Systemd", "SystemSupport", logging, signals, arguments,
            ],
            resources: [.copy("Pages")], swiftSettings: strict),
        .executableTarget(
            name: "locationd-fleet",
            dependencies: [
                "Fleet", "FleetOutbox", "MQTT", "LocationKit", "StrictTOML", "CommandLineFlags", "PrometheusMetrics",
                "LocationInterface", "LocationModel", "Systemd", "SystemSupport", "SystemClock", logging, signals,
                arguments,
            ],
            swiftSettings: strict),

        // What a first program may look like; each is run by a test.
        .executableTarget(
            name: "ExampleObservers", dependencies: ["LocationKit"], path: "Examples/Observers",
            swiftSettings: strict),
        .executableTarget(
            name: "ExampleAsyncSequence", dependencies: ["LocationKit"], path: "Examples/AsyncSequence",
            swiftSettings: strict),
        .executableTarget(
            name: "ExampleCombinePipeline", dependencies: ["LocationKit", "LocationKitCombine", combine],
            path: "Examples/CombinePipeline",
            swiftSettings: strict),
        .executableTarget(
            name: "ExampleSharedManager", dependencies: ["LocationKit"], path: "Examples/SharedManager",
            swiftSettings: strict),
        .executableTarget(
            name: "ExampleOneShot", dependencies: ["LocationKit"], path: "Examples/OneShot",
            swiftSettings: strict),
        .executableTarget(
            name: "ExampleGeofence", dependencies: ["LocationKit"], path: "Examples/Geofence",
            swiftSettings: strict),
        .executableTarget(
            name: "ExampleCoreLocationDelegate", dependencies: ["OpenCoreLocation"],
            path: "Examples/CoreLocationDelegate",
            swiftSettings: strict),
        .executableTarget(
            name: "ExampleCoreLocationSessions", dependencies: ["OpenCoreLocation"],
            path: "Examples/CoreLocationSessions",
            swiftSettings: strict),

        // What the booted test has waiting while the service is stopped, killed and upgraded.
        .executableTarget(
            name: "BootedWatcher", dependencies: ["LocationKit"], path: "Tests/Booted/Watcher", swiftSettings: strict),

        // What tests share.
        .target(
            name: "TestSupport", dependencies: ["Authorization", "StrictTOML", "SystemSupport", logging],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        // What each client must be told, computed from the rules: for the hub's interleavings and the simulated machine.
        .target(
            name: "ReferenceModel", dependencies: ["LocationModel"], path: "Tests/ReferenceModel",
            swiftSettings: strict),
        // The same for tests of client libraries and of whole programs: the built daemon, and observers that record.
        .target(
            name: "ClientTestSupport",
            dependencies: [
                "AdministrationInterface",
                "TestSupport", "LocationKit", "LocationInterface", "LocationModel", "Varlink", "SystemSupport",
            ],
            path: "Tests/ClientTestSupport", swiftSettings: strict),
        .target(
            name: "ServerDoubles",
            dependencies: [
                "AdministrationInterface", "Authorization", "LocationHub", "LocationInterface", "LocationModel",
                "LocationServer",
            ],
            path: "Tests/ServerDoubles", swiftSettings: strict),

        // Benchmarks: offline places, a fix stage by stage, what monitors save; see Benchmarks/README.md.
        .executableTarget(
            name: "PlacesBenchmark", dependencies: ["Places", "LocationModel", grdb], path: "Benchmarks/Places",
            swiftSettings: strict),
        .executableTarget(
            name: "HistoryBenchmark", dependencies: ["TrackHistory", "LocationModel"], path: "Benchmarks/History",
            swiftSettings: strict),
        .executableTarget(
            name: "ScaleBenchmark",
            dependencies: ["CLinux", "CMosquitto", "Fleet", "LocationModel", "SystemClock", "TestSupport"],
            path: "Benchmarks/Scale", swiftSettings: strict),
        .executableTarget(
            name: "FixBenchmark",
            dependencies: [
                "ServerDoubles",
                "GPSDSource", "LocationHub", "LocationInterface", "LocationServer", "LocationModel", "Varlink",
                "VarlinkServer", "Authorization", "SystemSupport", "SystemClock",
                nio, nioEmbedded, logging,
            ],
            path: "Benchmarks/Fix", exclude: ["instructions.txt"], swiftSettings: strict),
        .executableTarget(
            name: "MonitorBenchmark",
            dependencies: ["LocationHub", "RegionMonitoring", "LocationModel", "SimulatedSource"],
            path: "Benchmarks/Monitors", swiftSettings: strict),

        // Tests, in the order of the layers, each of the target of its name. The programs' have names of their own, because
        // a module's begins with a capital: DaemonTests is of locationd, LocctlTests of locctl, PlacesServiceTests of
        // locationd-places, BridgeServiceTests of locationd-bridge, HistoryServiceTests of locationd-history. SimulationTests,
        // EndToEndTests and ExamplesTests are of several targets. Those that depend on a program without importing it run it.
        .testTarget(
            name: "GeodesyTests", dependencies: ["TestSupport", "Geodesy", "LocationModel"], swiftSettings: strict),
        .testTarget(name: "LocationModelTests", dependencies: ["TestSupport", "LocationModel"], swiftSettings: strict),
        .testTarget(name: "GeomagnetismTests", dependencies: ["Geomagnetism"], swiftSettings: strict),
        .testTarget(name: "VarlinkTests", dependencies: ["Varlink"], swiftSettings: strict),
        .testTarget(name: "StrictTOMLTests", dependencies: ["StrictTOML"], swiftSettings: strict),
        .testTarget(name: "SystemSupportTests", dependencies: ["TestSupport", "SystemSupport"], swiftSettings: strict),
        .testTarget(name: "SystemdTests", dependencies: ["TestSupport", "Systemd", "CLinux"], swiftSettings: strict),
        .testTarget(
            name: "PrometheusMetricsTests",
            dependencies: ["TestSupport", "PrometheusMetrics", "SystemSupport", logging, metrics],
            swiftSettings: strict),
        .testTarget(
            name: "LocationInterfaceTests",
            dependencies: ["TestSupport", "LocationInterface", "LocationModel", "Varlink"],
            swiftSettings: strict),
        .testTarget(
            name: "TrackHistoryTests",
            dependencies: ["TestSupport", "TrackHistory", "RegionMonitoring", "LocationModel", "Geodesy", grdb],
            swiftSettings: strict),
        .testTarget(
            name: "LocationFormatsTests", dependencies: ["TestSupport", "LocationFormats", "LocationModel"],
            swiftSettings: strict),
        // libgps, as GPSDSource has it, reads what is written.
        .testTarget(
            name: "GeoClueBridgeTests", dependencies: ["GeoClueBridge", "DBus", "LocationInterface", "LocationModel"],
            swiftSettings: strict),
        .testTarget(
            name: "GPSDProtocolTests", dependencies: ["TestSupport", "GPSDProtocol", "GPSDSource", "LocationModel"],
            swiftSettings: strict),
        .testTarget(
            name: "RegionMonitoringTests",
            dependencies: ["TestSupport", "RegionMonitoring", "Geodesy", "LocationModel"],
            swiftSettings: strict),
        .testTarget(
            name: "LocationHubTests",
            dependencies: ["TestSupport", "ReferenceModel", "LocationHub", "RegionMonitoring", "LocationModel"],
            swiftSettings: strict),
        .testTarget(
            name: "GPSDSourceTests",
            dependencies: ["TestSupport", "GPSDSource", "CGPS", "SystemSupport", "LocationModel", "CLinux"],
            swiftSettings: strict),
        .testTarget(
            name: "CompassSourceTests",
            dependencies: ["TestSupport", "CompassSource", "SystemSupport", "LocationModel", "CSystemd"],
            swiftSettings: strict),
        .testTarget(
            name: "SimulatedSourceTests",
            dependencies: ["TestSupport", "SimulatedSource", "SystemClock", "LocationModel"],
            swiftSettings: strict),
        .testTarget(
            name: "AuthorizationTests",
            dependencies: ["TestSupport", "Authorization", "SystemSupport", "LocationModel", "CLinux", "CSystemd"],
            swiftSettings: strict),
        .testTarget(
            name: "VarlinkServerTests",
            dependencies: [
                "TestSupport", "VarlinkServer", "Varlink", "LocationKit", "SystemSupport", nio, nioEmbedded,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LocationServerTests",
            dependencies: [
                "AdministrationInterface", "Geomagnetism",
                "ServerDoubles",
                "TestSupport",
                "LocationServer", "LocationFormats", "LocationHub", "RegionMonitoring", "LocationInterface",
                "LocationKit", "LocationModel", "Varlink", "VarlinkServer", "Authorization", "SystemSupport", "CLinux",
                "PrometheusMetrics", logging, metrics,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "AdministrationInterface",
                "ServerDoubles",
                "TestSupport", "ReferenceModel", "GPSDSource", "LocationServer", "LocationHub", "LocationInterface",
                "LocationModel", "Varlink", "VarlinkServer", "Authorization", "SystemSupport", "SystemClock", nio,
                nioEmbedded,
                logging,
            ],
            swiftSettings: strict),
        .testTarget(name: "FleetTests", dependencies: ["Fleet", "LocationModel"], swiftSettings: strict),
        .testTarget(
            name: "FleetOutboxTests", dependencies: ["TestSupport", "FleetOutbox", "Fleet", grdb],
            swiftSettings: strict),
        .testTarget(name: "MQTTTests", dependencies: ["TestSupport", "MQTT", "SystemSupport"], swiftSettings: strict),
        .testTarget(
            name: "PlacesTests",
            dependencies: [
                "TestSupport", "Places", "LocationInterface", "LocationModel", "SystemClock", grdb, logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LocationKitTests",
            dependencies: [
                "AdministrationInterface",
                "TestSupport", "ClientTestSupport", "LocationKit", "LocationKitTesting", "LocationInterface",
                "LocationModel", "Varlink", "SystemSupport", "locationd",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LocationKitTestingTests",
            dependencies: ["TestSupport", "ClientTestSupport", "LocationKitTesting", "LocationKit", "LocationModel"],
            swiftSettings: strict),
        .testTarget(
            name: "LocationKitCombineTests",
            dependencies: [
                "TestSupport", "LocationKitCombine", "LocationKit", "LocationKitTesting", "LocationModel", combine,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OpenCoreLocationTests",
            dependencies: [
                "TestSupport", "ClientTestSupport", "OpenCoreLocation", "LocationKit", "LocationKitTesting",
                "LocationModel", "locationd", combine,
            ],
            swiftSettings: strict),
        // As a program outside of this package sees it.
        .testTarget(
            name: "OpenCoreLocationTestingTests",
            dependencies: ["TestSupport", "OpenCoreLocationTesting", "OpenCoreLocation"],
            swiftSettings: strict),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "TestSupport", "ClientTestSupport", "locationd", "ExampleObservers", "ExampleAsyncSequence",
                "ExampleCombinePipeline", "ExampleSharedManager", "ExampleOneShot", "ExampleCoreLocationDelegate",
                "ExampleCoreLocationSessions", "ExampleGeofence",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DaemonConfigurationTests",
            dependencies: [
                "TestSupport", "DaemonConfiguration", "StrictTOML", "CommandLineFlags", "Authorization",
                "LocationModel", logging, arguments,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "AdministrationInterface",
                "TestSupport", "locationd", "DaemonConfiguration", "StrictTOML", "LocationModel", "LocationHub",
                "RegionMonitoring", "LocationInterface", "LocationServer", "Authorization", "SystemSupport",
                "SystemClock", "Systemd",
                "CLinux", "PrometheusMetrics", logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PlacesServiceTests",
            dependencies: [
                "TestSupport", "locationd-places", "CallService", "Places", "StrictTOML", "CommandLineFlags",
                "LocationInterface",
                "LocationModel", "Varlink", "VarlinkServer", "SystemClock", logging, arguments,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ServedProgramsTests",
            dependencies: [
                "TestSupport", "ServedPrograms", "LocationInterface", "LocationModel", "Varlink", nio, nioPosix,
                nioEmbedded,
            ], swiftSettings: strict),
        .testTarget(
            name: "BridgeServiceTests",
            dependencies: [
                "TestSupport", "locationd-bridge", "GPSDBridge", "ServedPrograms", "StrictTOML", "CommandLineFlags",
                "LocationInterface", logging, arguments,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HistoryServiceTests",
            dependencies: [
                "TestSupport", "ClientTestSupport", "locationd", "locctl", "locationd-history", "TrackHistory",
                "HistoryInterface", "CallService", "VarlinkServer", "Varlink", "LocationKit", "SystemSupport",
                "AdministrationInterface", "LocationInterface", "LocationModel", "StrictTOML", "CommandLineFlags",
                "PrometheusMetrics", grdb,
                logging, arguments,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FleetServiceTests",
            dependencies: [
                "TestSupport", "ClientTestSupport", "locationd", "locctl", "locationd-fleet", "Fleet", "FleetOutbox",
                "MQTT", "AdministrationInterface", "LocationKit", "SystemSupport", "Systemd",
                "StrictTOML", "CommandLineFlags", "PrometheusMetrics", "LocationInterface", "LocationModel",
                "SystemClock", grdb, logging, arguments,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WebServiceTests",
            dependencies: [
                "TestSupport", "ClientTestSupport", "locationd", "locationd-web", "locationd-history", "locctl",
                "WebService", "ServedPrograms", "WebInterface", "AdministrationInterface", "HistoryInterface",
                "CallService", "VarlinkServer", "LocationKit", "LocationInterface", "LocationModel", "Varlink",
                "StrictTOML",
                "CommandLineFlags", "SystemClock", "TrackHistory", nio, nioEmbedded, nioHTTP, grdb, logging, arguments,
            ],
            swiftSettings: strict),
        // A recorded drive through the daemon and both programs.
        .testTarget(
            name: "DriveTests",
            dependencies: [
                "TestSupport", "ClientTestSupport", "locationd", "locctl", "locationd-history", "locationd-fleet",
                "TrackHistory", "SimulatedSource", "LocationKit", "LocationModel",
            ],
            swiftSettings: strict),
        // Both programs' files after a loss of power.
        .testTarget(
            name: "PowerLossTests",
            dependencies: [
                "TestSupport", "ClientTestSupport", "locationd", "locationd-history", "locationd-fleet", "TrackHistory",
                "FleetOutbox", grdb,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LocctlTests",
            dependencies: [
                "AdministrationInterface", "TestSupport", "locctl", "Fleet", "LocationInterface", "LocationKit",
                "LocationModel", "SystemSupport", "Varlink", arguments,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TrackHistory", "HistoryInterface", "WebInterface", "CallService", "VarlinkServer", "locationd-history",
                "AdministrationInterface",
                "TestSupport", "ClientTestSupport",
                "locationd", "locctl", "locationd-places", "locationd-bridge", "LocationKit", "LocationInterface",
                "LocationModel",
                "LocationServer", "Varlink", "SystemSupport", "SystemClock", "Authorization", "Systemd", logging,
            ],
            swiftSettings: strict),
    ]
)

// The fuzzers, and the parts of the daemon they need, without its main function: libFuzzer has its own. See
// Tests/Fuzzers/README.md.
if Context.environment["LOCATIOND_FUZZ"] != nil {
    let programs = ["locationd", "locationd-places"]
    package.products.removeAll { programs.contains($0.name) }
    package.targets.removeAll { programs.contains($0.name) }
    package.targets += [
        .target(
            name: "locationd",
            dependencies: [
                "AdministrationInterface", "Authorization", "LocationHub", "LocationInterface", "LocationModel",
                "RegionMonitoring",
            ],
            sources: [
                "State/SavedFile.swift", "State/SavedMonitors.swift", "State/SavedState.swift",
                "History/HistoryRecord+line.swift",
            ],
            swiftSettings: strict),
        .target(
            name: "locationd-places", dependencies: ["CallService", "StrictTOML", logging],
            sources: ["PlacesConfiguration.swift", "PlacesConfiguration+settings.swift"], swiftSettings: strict),
        .executableTarget(
            name: "Fuzzers",
            dependencies: [
                "AdministrationInterface",
                "ServerDoubles",
                "GPSDSource", "GPSDProtocol", "SimulatedSource", "DaemonConfiguration", "StrictTOML", "Authorization",
                "LocationServer", "VarlinkServer", "Varlink", "LocationHub", "RegionMonitoring", "LocationInterface",
                "LocationFormats",
                "LocationModel", "SystemSupport", "SystemClock", "locationd", "locationd-places", nio,
                nioEmbedded, logging, arguments,
            ],
            path: "Tests/Fuzzers", exclude: ["README.md", "corpus", "dictionaries"], swiftSettings: strict),
    ]
}

// Only some test targets, for a faster build of what one change concerns: LOCATIOND_TESTS="GPSDProtocolTests BridgeServiceTests".
if let names = Context.environment["LOCATIOND_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
