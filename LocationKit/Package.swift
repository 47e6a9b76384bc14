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

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let combine = Target.Dependency.product(
    name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["Combine"]))

let package = Package(
    name: "LocationKit",
    products: [
        .library(name: "LocationModel", targets: ["LocationModel"]),
        .library(name: "LocationKit", targets: ["LocationKit"]),
        .library(name: "LocationKitTesting", targets: ["LocationKitTesting"]),
        .library(name: "LocationKitCombine", targets: ["LocationKitCombine"]),
        .library(name: "OpenCoreLocation", targets: ["OpenCoreLocation"]),
        .library(name: "OpenCoreLocationTesting", targets: ["OpenCoreLocationTesting"]),
        // For programs that speak with the daemon themselves: the protocol, and what locationd's own programs stand on.
        .library(name: "Varlink", targets: ["Varlink"]),
        .library(name: "LocationInterface", targets: ["LocationInterface"]),
        .library(name: "LocationSession", targets: ["LocationSession"]),
        .library(name: "RegionMonitoring", targets: ["RegionMonitoring"]),
        .library(name: "SystemSupport", targets: ["SystemSupport"]),
        .library(name: "CLinux", targets: ["CLinux"]),
    ],
    traits: [
        .trait(name: "Combine", description: "LocationKitCombine's publishers, for which OpenCombine is resolved."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // The lowest first: a target depends only on targets above it.
        .target(name: "CLinux"),
        .target(name: "LocationModel", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),
        .target(name: "Varlink", swiftSettings: strict),
        .target(name: "SystemSupport", dependencies: ["CLinux", "LocationModel"], swiftSettings: strict),
        .target(
            name: "LocationInterface", dependencies: ["Varlink", "LocationModel"],
            resources: [
                .embedInCode("org.locationd.location.varlink"),
                .embedInCode("org.locationd.places.varlink"),
                .embedInCode("Administration/org.locationd.admin.varlink"),
                .embedInCode("Fleet/org.locationd.fleet.varlink"),
                .embedInCode("History/org.locationd.history.varlink"),
                .embedInCode("Nearby/org.locationd.nearby.varlink"),
                .embedInCode("Provider/org.locationd.provider.varlink"),
                .embedInCode("Web/org.locationd.web.varlink"),
            ],
            swiftSettings: strict),
        .target(
            name: "LocationSession", dependencies: ["LocationInterface", "LocationModel"], swiftSettings: strict),
        .target(name: "RegionMonitoring", dependencies: ["LocationModel"], swiftSettings: strict),
        .target(
            name: "LocationKit",
            dependencies: [
                "CLinux", "SystemSupport", "LocationInterface", "LocationModel", "LocationSession", "Varlink", logging,
            ],
            swiftSettings: strict),
        .target(
            name: "LocationKitTesting",
            dependencies: ["LocationKit", "LocationModel", "RegionMonitoring", "SystemSupport"], swiftSettings: strict),
        .target(
            name: "LocationKitCombine", dependencies: ["LocationKit", "LocationModel", combine], swiftSettings: strict),
        .target(name: "OpenCoreLocation", dependencies: ["LocationKit", "LocationModel"], swiftSettings: strict),
        .target(
            name: "OpenCoreLocationTesting",
            dependencies: ["OpenCoreLocation", "LocationKit", "LocationKitTesting", "LocationModel"],
            swiftSettings: strict),

        // What the tests share. A test that needs the daemon is left out where there is none: see README.md.
        .target(name: "TestSupport", dependencies: ["SystemSupport"], path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "ClientTestSupport",
            dependencies: [
                "TestSupport", "LocationInterface", "LocationKit", "LocationModel", "SystemSupport", "Varlink",
            ],
            path: "Tests/ClientTestSupport", swiftSettings: strict),

        .testTarget(
            name: "LocationModelTests", dependencies: ["TestSupport", "LocationModel", "RegionMonitoring"],
            swiftSettings: strict),
        .testTarget(
            name: "SystemSupportTests", dependencies: ["TestSupport", "LocationModel", "SystemSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "LocationInterfaceTests",
            dependencies: ["TestSupport", "LocationInterface", "LocationModel", "Varlink"],
            swiftSettings: strict),
        .testTarget(
            name: "LocationSessionTests",
            dependencies: ["LocationInterface", "LocationModel", "LocationSession"],
            swiftSettings: strict),
        .testTarget(
            name: "LocationKitTests",
            dependencies: [
                "ClientTestSupport", "TestSupport", "LocationInterface", "LocationKit", "LocationKitTesting",
                "LocationModel", "SystemSupport", "Varlink",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LocationKitCombineTests",
            dependencies: [
                "TestSupport", "LocationKit", "LocationKitCombine", "LocationKitTesting", "LocationModel", combine,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OpenCoreLocationTests",
            dependencies: [
                "ClientTestSupport", "TestSupport", "LocationKit", "LocationKitTesting", "LocationModel",
                "OpenCoreLocation", combine, "OpenCoreLocationTesting",
            ],
            swiftSettings: strict),
    ]
)

// Tests compute for minutes with these, and a quarter of that where they are optimized; the compiler needs a few
// seconds more. Only where it is asked for, because a package with such flags is no dependency of others.
if Context.environment["LOCATIOND_OPTIMIZE"] != nil {
    for target in package.targets where ["LocationModel", "RegionMonitoring"].contains(target.name) {
        target.swiftSettings = strict + [.unsafeFlags(["-O"])]
    }
}
