import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Synchronization

/// A ``LiveDaemon`` that persists monitors as the real one does, and reports the regions' states that the test sets.
final class MonitorDaemon: Sendable {
    private let store = MonitorStore()
    let live: LiveDaemon

    /// - Parameter slowness: the longest time, in microseconds, until it reads a change of what it persists; other
    ///   connections go on meanwhile, so that they overtake it.
    init(slowness: UInt32 = 0) throws {
        live = try LiveDaemon { [store] call, _ in
            if slowness > 0, !call.contains(LocationInterface.Method.listMonitors) { usleep(.random(in: 0..<slowness)) }
            return store.answer(call)
        }
    }

    /// The identifiers of the regions that are persisted under a name.
    func persisted(_ name: String) -> [String]? { store.state.withLock { $0.persisted[name]?.map(\.identifier) } }

    func persist(_ regions: [Region], under name: String) { store.state.withLock { $0.persisted[name] = regions } }

    /// The error that the next calls of `Monitor` are answered with; `nil` lets them succeed.
    func refuse(_ error: String?) { store.state.withLock { $0.refusal = error } }

    /// Reports a region's state to every monitor.
    func send(_ identifier: String, _ state: RegionState, _ event: RegionEvent? = nil) {
        live.send(MonitorStore.report(identifier, state, event))
    }

    /// How often a method was called.
    func calls(of method: String) -> Int { live.calls.count { $0.contains(".\(method)\"") } }
}

/// The monitors that a ``MonitorDaemon`` persists, and its answers.
private final class MonitorStore: Sendable {
    struct State {
        var persisted: [String: [Region]] = [:]
        var refusal: String?
    }

    private struct Call: Decodable {
        let method: String
        let parameters: MonitorRequest?
    }

    private struct Change: Decodable { let parameters: ChangeRegionsParameters }

    let state = Mutex(State())

    func answer(_ text: String) -> [String]? {
        let data = Data(text.utf8)
        guard let call = try? JSONDecoder().decode(Call.self, from: data) else { return nil }
        return state.withLock { state in
            switch call.method {
            case LocationInterface.Method.listMonitors: return [Self.list(state.persisted)]
            case LocationInterface.Method.changeRegions:
                guard let change = try? JSONDecoder().decode(Change.self, from: data).parameters else { return nil }
                let gone = Set((change.remove ?? []) + (change.add ?? []).map(\.identifier))
                state.persisted[change.name, default: []].removeAll { gone.contains($0.identifier) }
                state.persisted[change.name, default: []] += change.add ?? []
                return ["{}"]
            default: return Self.open(call.parameters ?? MonitorRequest(), &state)
            }
        }
    }

    private static func open(_ parameters: MonitorRequest, _ state: inout State) -> [String] {
        if let refusal = state.refusal { return [refusal] }
        let persisted = parameters.name.flatMap { state.persisted[$0] }
        let regions = parameters.subjects?.regions ?? persisted ?? []
        if let name = parameters.name { state.persisted[name] = regions }
        return [Replies.status()] + regions.map { report($0.identifier, .unknown) }
    }

    static func report(_ identifier: String, _ state: RegionState, _ event: RegionEvent? = nil) -> String {
        let happening = event.map { ",\"event\":\"\($0.rawValue)\"" } ?? ""
        return "{\"continues\":true,\"parameters\":{\"region\":{\"identifier\":\"\(identifier)\","
            + "\"state\":\"\(state.rawValue)\"\(happening)}}}"
    }

    private static func list(_ persisted: [String: [Region]]) -> String {
        let monitors = persisted.map { name, regions in
            NamedMonitorOnWire(
                NamedMonitor(name: name, subjects: MonitorSubjects(regions: regions)), at: BootInstant(nanoseconds: 0))
        }
        let bytes = try? JSONEncoder().encode(ListMonitorsReply(monitors: monitors))
        return "{\"parameters\":\(String(decoding: bytes ?? Data("{}".utf8), as: UTF8.self))}"
    }
}
