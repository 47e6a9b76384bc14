// The driver of clients/conformance over LocationKit or, with --event-loop, over the sessions of locationd's services:
// performs one call and writes what comes of it, a line for each event.

import FoundationEssentials
import Glibc
import LocationKit

/// The options of a request for authorization.
struct AuthorizationOptions: Decodable {
    let level: String?
    let fullAccuracy: Bool?
    let purpose: String?
}

/// The options of a call about one monitor.
struct MonitorOptions: Decodable {
    let name: String
}

func perform(_ call: Call, _ reporter: Reporter) async throws {
    let client = LocationClient()
    switch call.call {
    case .watch: try await WatchDriver.run(call, reporter)
    case .regions: try await MonitorDriver.run(call, reporter)
    case .get: reporter.report(.location(try await client.location(try call.options(as: LocationRequest.self))))
    case .status: reporter.report(try await client.status())
    case .monitors: reporter.report(.monitors(try await client.monitors()))
    case .removeMonitor: try await client.removeMonitor(try call.options(as: MonitorOptions.self).name)
    case .requestAuthorization:
        let options = try call.options(as: AuthorizationOptions.self)
        let manager = LocationManager(LocationConfiguration(purpose: options.purpose))
        if options.fullAccuracy == true {
            _ = try await manager.requestFullAccuracy(purpose: options.purpose ?? "")
        } else {
            _ = try await manager.requestAuthorization(for: options.level == "always" ? .always : .whenInUse)
        }
        reporter.report(.authorization(manager.authorizationStatus))
    case .changeRegions: throw LocationError.refused(error: "NotSupported", reason: "LocationKit has no such call")
    }
}

guard let line = readLine(strippingNewline: true) else { exit(2) }
let call: Call
do {
    call = try JSONDecoder().decode(Call.self, from: Data(line.utf8))
} catch {
    fail("the call cannot be read: \(error)", code: 2)
}
let reporter = Reporter(call)
do {
    if CommandLine.arguments.contains("--event-loop") {
        try await EventLoopDriver(call, reporter).run()
    } else {
        try await perform(call, reporter)
    }
} catch let error as LocationError {
    reporter.finish(.error(error))
} catch {
    fail("\(error)", code: 2)
}
reporter.finish(.end)
