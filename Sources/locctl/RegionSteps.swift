import LocationInterface
import LocationKit
import SystemSupport

/// More regions than one call takes, on their way under a name.
struct RegionSteps {
    private let connection: VarlinkConnection
    private let waker: Waker
    private let name: String
    private var present: [Region]
    private let wanted: [Region]
    /// True once the monitor has answered: from then on there is what the steps change.
    var areDue = false

    /// Makes a request as small as a call may be. Of what is kept under the name the regions that are wanted again keep
    /// what is known of them.
    ///
    /// - Parameters:
    ///   - connection: for what is asked beside the monitor.
    ///   - waker: the connection's.
    /// - Returns: `nil` if one call does; else they are due after its first reply.
    init?(
        _ request: inout MonitorRequest, over connection: @autoclosure () throws -> VarlinkConnection,
        until waker: Waker
    ) throws {
        guard let regions = request.subjects?.regions else { return nil }
        let first = MonitorRequestSize.fitting(regions)
        guard first.count < regions.count else { return nil }
        guard let name = request.name else {
            throw Failure(
                code: ExitCodes.usage,
                message: "these \(regions.count) regions are more than one call takes; keep them under a --name")
        }
        (self.name, wanted, self.waker) = (name, regions, waker)
        self.connection = try connection()
        let list = try self.connection.call(LocationInterface.Method.listMonitors, as: ListMonitorsReply.self)
        let kept = list.monitors.first { $0.name == name && $0.significantChange == nil && !$0.visits }
        present = kept?.regions ?? first
        request.subjects = kept == nil ? MonitorSubjects(regions: first) : nil
    }

    /// Returns once the step is kept, or has to be tried again.
    /// - Returns: false if none was left.
    mutating func takeOne() throws -> Bool {
        guard let step = RegionsChange(from: present, to: wanted) else { return false }
        let parameters = ChangeRegionsParameters(name: name, add: step.added, remove: step.removed)
        do throws(LocationError) {
            _ = try connection.call(LocationInterface.Method.changeRegions, parameters, as: NothingToSay.self)
            present = step.result
        } catch .tooManyRequests {
            pause()
        }
        return true
    }

    /// Takes all that are left.
    mutating func takeAll() throws {
        while try takeOne() {}
    }

    /// Lets the daemon forget some of the calls it has counted: the list of what is kept stands for many.
    func pause() {
        _ = waker.wait(for: -1, events: 0, seconds: 1)
    }
}
